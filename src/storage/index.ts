import type { Tuning } from './bucket/tuning.ts'
import type { Storage } from './storage.ts'

export { claimedStorage, isClaimed } from './claim.ts'
export { changeModes } from './disk/modes.ts'
export { openDiskStorage } from './disk/open.ts'
export { diskFault } from './errors.ts'
export {
  isVerifiedBeforeSending,
  openKnownBytes,
  proveBytes,
  readProven,
  sinkInto,
  type Verdict,
} from './known-bytes.ts'
export { prefixedStorage } from './prefixed-storage.ts'
export { type ByteSink, type Copy, type KnownBytes, type Reading, withOneSum } from './read-stored.ts'
export type { ByteRange, NewFile, OpenedFile, Storage, StoredBytes, StoredKey } from './storage.ts'
export { type BucketAddress, parseStorageUrl } from './storage-url.ts'

interface S3Address {
  /** As `parseStorageUrl` reads it. */
  url: string
  /** A folder under the one that the URL names. */
  prefix?: string
  tuning?: Partial<Tuning>
}

/** The client library is large, so it is loaded only if a bucket is used. */
export async function openS3Storage(address: S3Address): Promise<Storage> {
  const { openBucketStorage } = await import('./bucket/open.ts')
  return openBucketStorage(address)
}
