import type { Config } from '../../config.ts'
import { exists } from '../../lib/files/exists.ts'
import { openDiskStorage, openS3Storage, type Storage } from '../../storage/index.ts'
import { storageNotEmpty } from '../errors.ts'

/** Checks the whole bucket or folder: any key in it may belong to another installation. */
export async function checkStorageEmpty({ storageUrl, dataDir }: Config): Promise<void> {
  if (storageUrl !== undefined) {
    await using bucket = await openS3Storage({ url: storageUrl })
    return refuseKeys(bucket, [''], 'SERVICE_STORAGE_URL: the bucket')
  }
  if (!(await exists(dataDir))) return
  await using disk = await openDiskStorage({ root: dataDir })
  await refuseKeys(disk, ['sites', 'bytes'], `The data folder ${dataDir}`)
}

async function refuseKeys(storage: Storage, folders: readonly string[], location: string): Promise<void> {
  for (const folder of folders) {
    const [found] = await storage.list(folder, undefined, 1)
    if (found) throw storageNotEmpty(location, found.key)
  }
}
