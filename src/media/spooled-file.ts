import { join } from 'node:path'

/** Where uploads come in. On the file system of the data folder, so that they need only be renamed from there. */
export const spoolFolder = (dataDir: string): string => join(dataDir, 'spool')

/** An upload on local disk, counted and hashed while it came in. */
export interface SpooledFile {
  /** In a folder of its own, which goes when the upload is done. */
  path: string
  sizeBytes: number
  /** Hexadecimal digits. */
  md5: string
  /** As the sender called it. */
  name: string | undefined
}
