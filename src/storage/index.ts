import type { Tuning } from './bucket/tuning.ts'
import type { Storage } from './storage.ts'

export { openDiskStorage } from './disk/open.ts'
export { diskFault } from './errors.ts'
export type { ByteRange, NewFile, OpenedFile, Storage, StoredBytes, StoredKey } from './storage.ts'
export { storageUnder } from './storage-under.ts'
export { type BucketPlace, parseStorageUrl } from './storage-url.ts'

interface S3Place {
  /** As `parseStorageUrl` reads it. */
  url: string
  /** A folder under the one that the URL names. */
  prefix?: string
  tuning?: Partial<Tuning>
}

/** The client is large, so that it is loaded only where a bucket is used. */
export async function openS3Storage(place: S3Place): Promise<Storage> {
  const { openBucketStorage } = await import('./bucket/open.ts')
  return openBucketStorage(place)
}
