export { createAlbum } from './albums.ts'
export { type Album, allAlbums, type Privacy } from './albums-table.ts'
export { createCategory } from './categories.ts'
export { allCategories, type Category } from './categories-table.ts'
export { emptySource } from './errors.ts'
export { countView, type FoundBytes, findBytes, readFile, tagsOf } from './read-file.ts'
export { fileOfDeleteLink, removeFile } from './remove-file.ts'
export type { SpooledFile } from './spooled-file.ts'
export {
  fileNameOf,
  type StoredFile,
  type StoredVariant,
  type VariantName,
  variantOf,
} from './stored-file.ts'
export { checkMayUpload, checkMayUploadUrl, largestUpload, type Uploaded, uploadFile } from './upload.ts'
export { readUploadRequest, type UploadRequest } from './upload-request.ts'
