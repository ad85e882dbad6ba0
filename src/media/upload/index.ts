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
export {
  emptyUploadRequest,
  expirations,
  expiresAfter,
  isExpiration,
  isUploadAlbum,
  readUploadRequest,
  type SpooledFile,
  spoolFolder,
  type Uploaded,
  type UploadRequest,
  widestUpload,
} from './upload-request.ts'
