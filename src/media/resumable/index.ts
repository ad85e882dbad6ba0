export {
  beingFinished,
  checksumDiffers,
  longerThanUpload,
  otherOffset,
  unfinishedUpload,
  uploadEnded,
  uploadNotFound,
} from '../errors.ts'
export {
  type Appended,
  type AppendedBytes,
  appendBytes,
  type Checksum,
  checksumAlgorithms,
  isBeingFinished,
  takeUploadOver,
} from './append-bytes.ts'
export { createUpload, type NewResumableUpload } from './create-upload.ts'
export { endOwnUpload } from './end-upload.ts'
export { type Finished, finishUpload } from './finish-upload.ts'
export type { ResumableUpload } from './resumable-uploads-table.ts'
export { listOwnUploads, readOwnUpload, uploaderOf } from './upload-owner.ts'
