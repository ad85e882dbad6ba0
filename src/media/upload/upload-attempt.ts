import { join } from 'node:path'
import type { Actor } from '../../accounts/index.ts'
import type { SiteDb } from '../../db/index.ts'
import type { Settings } from '../../site/index.ts'
import type { StoredFile } from '../files/stored-file.ts'
import type { ReleaseSlot } from './rate-limit.ts'
import type { UploadRequest } from './upload-request.ts'

/** Where uploads are received: on the file system of the data folder, so that they can be renamed into place. */
export const spoolFolder = (dataDir: string): string => join(dataDir, 'spool')

/** An upload on local disk, counted and hashed while it was received. */
export interface SpooledFile {
  /** In a folder of its own, which is removed after the upload. */
  path: string
  sizeBytes: number
  /** Hexadecimal digits. */
  md5: string
  /** The file name that the client sent. */
  name: string | undefined
}

export interface Upload {
  spooled: SpooledFile
  request: UploadRequest
  /** The IP address of the client. */
  address: string
  /** Aborted when the client disconnects: then nothing is decoded or stored. */
  signal?: AbortSignal | undefined
  /** Keeps the answer for an Idempotency-Key; part of the transaction that stores the file. */
  keep?: ((db: SiteDb, uploaded: Uploaded) => Promise<void>) | undefined
  /** Releases the rate-limit slot of an upload that has taken it before. */
  releaseSlot?: ReleaseSlot | undefined
  /** Bytes of the storage limit that the upload has reserved before. */
  reservedBytes?: number | undefined
}

/** An upload with its caller and the settings that apply to it. */
export interface UploadAttempt {
  actor: Actor
  upload: Upload
  settings: Settings
}

export interface Uploaded {
  file: StoredFile
  tags: readonly string[]
  /** Deletes the file; only its hash is stored. Absent for a duplicate that belongs to another uploader. */
  deleteToken: string | undefined
  /** The bytes were stored by an earlier upload. */
  isExisting: boolean
  /** The album was deleted while the file was sent, so the file is in none. */
  isAlbumDeleted?: boolean
}
