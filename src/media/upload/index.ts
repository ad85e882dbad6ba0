export {
  checkMayUpload,
  checkMayUploadOnPage,
  checkMayUploadUrl,
  type FetchSource,
  largestUpload,
  mayUploadOnPage,
  mayUploadUrl,
  uploadFile,
} from './upload.ts'
export { type SpooledFile, spoolFolder, type Uploaded } from './upload-attempt.ts'
export {
  emptyUploadRequest,
  expirations,
  expiresAfter,
  isExpiration,
  isUploadAlbum,
  readUploadRequest,
  type UploadRequest,
  widestUpload,
} from './upload-request.ts'
