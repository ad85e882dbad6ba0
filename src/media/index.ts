export {
  type AlbumLock,
  checkAlbumPassword,
  isPassOf,
  passSeconds,
  writePass,
} from './album-lock.ts'
export { createAlbum, editAlbum, removeAlbum } from './albums.ts'
export { type Album, allAlbums, type ListedAlbum, type Privacy } from './albums-table.ts'
export { expireFiles } from './care/expire-files.ts'
export { pruneMarks } from './care/prune-marks.ts'
export { removeBytes } from './care/remove-bytes.ts'
export { damagedFiles, scrubFiles } from './care/scrub-files.ts'
export { sweepOrphans } from './care/sweep-orphans.ts'
export { createCategory, removeCategory } from './categories.ts'
export { allCategories, type Category } from './categories-table.ts'
export { emptySource } from './errors.ts'
export {
  countFiles,
  filesAfter,
  filesOfIds,
  hasFile,
  idOfKey,
  storedKeysOf,
  storedKeysOfRow,
} from './file-keys-table.ts'
export { fileCountsOfUsers } from './file-lists-table.ts'
export { longestCachingSeconds } from './freed-names.ts'
export { approveAllFiles, approveFiles, fileOfId, listFiles, removeFileOfId } from './moderation.ts'
export { countView, type FoundBytes, findBytes, findBytesAtOnce, readFile, tagsOf } from './read-file.ts'
export { fileOfDeleteLink, removeFile } from './remove-file.ts'
export { type RemovedUser, removeUser } from './remove-user.ts'
export { isHidden, sightOf } from './sight.ts'
export { type SpooledFile, spoolFolder } from './spooled-file.ts'
export {
  fileNameOf,
  keyOf,
  type StoredFile,
  type StoredVariant,
  type VariantName,
  variantOf,
} from './stored-file.ts'
export { checkMayUpload, checkMayUploadUrl, largestUpload, type Uploaded, uploadFile } from './upload.ts'
export { readUploadRequest, type UploadRequest } from './upload-request.ts'
