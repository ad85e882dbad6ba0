export { type FileEdit, fileTextFault, longestFileText } from './edit/apply-edit.ts'
export {
  type BulkAction,
  type BulkChange,
  type BulkResult,
  bulkActions,
  changeFiles,
} from './edit/bulk-change.ts'
export { deleteFile, editFile, type FileTarget, likeFile, restoreFile } from './edit/change-files.ts'
export { approveAllFiles, approveFiles, fileOfId, listFiles, removeFileOfId } from './edit/moderation.ts'
export {
  countKeyOwners,
  type FileKeys,
  fileKeysAfter,
  fileKeysOfIds,
  idOfKey,
  isKeyOwned,
  recordSum,
  storedKeyOfBrandRow,
  storedKeysOf,
  storedKeysOfRevisionRow,
  storedKeysOfRow,
  withSumOfBytes,
} from './file-keys-table.ts'
export {
  categoryOfKey,
  createCategory,
  editCategory,
  listCategories,
  removeCategory,
} from './labels/categories.ts'
export { allCategories, type Category, type CountedCategory } from './labels/categories-table.ts'
export {
  longestTag,
  mostTagsGiven,
  tagFault,
  tagForm,
  tagListFault,
  tagNameOf,
} from './labels/tag-names.ts'
export { listTags, removeTag, renameTag } from './labels/tags.ts'
export type { CountedTag, TagPosition } from './labels/tags-table.ts'
export { fileCountsOfUsers } from './list/file-lists-table.ts'
export {
  type FilePosition,
  type FileSelection,
  type FileSort,
  fileSortNames,
  type Orientation,
  orientations,
} from './list/file-selection.ts'
export type { FileShape } from './list/file-shapes-table.ts'
export {
  countShownFiles,
  listShapes,
  listShownFiles,
  type Neighbours,
  neighboursOf,
  readShownFile,
  readShownFiles,
  searchFiles,
  showFile,
} from './list/list-files.ts'
export type { ListedFile } from './list/listed-file.ts'
export type { ShownFile } from './list/shown-columns-table.ts'
export { isHidden, mayChangeFile, pageAccessOf } from './page-access.ts'
export { countViews } from './reading/count-views.ts'
export {
  bytesOfVersion,
  type FoundBytes,
  findBytes,
  findBytesSync,
  isProtected,
  readDrawing,
  readFile,
  tagsOf,
} from './reading/read-file.ts'
export { holdBytes } from './removal/byte-hold.ts'
export { fileOfDeleteLink, removeFile } from './removal/delete-files.ts'
export { changeOwnTrash, type TrashChange } from './removal/own-trash.ts'
export {
  type FilesOfRemovedUser,
  type RemovedUser,
  removeUser,
  removeUserAs,
} from './removal/remove-user.ts'
export { longestCachingSeconds } from './removal/reserved-names-table.ts'
export {
  hasTrash,
  listTrash,
  mayRestore,
  removeTrash,
  restoreFileOfId,
  trashEndsAt,
} from './removal/trash.ts'
export { replaceContent } from './revisions/replace-file.ts'
export { checkRevision, listRevisions, revertFile } from './revisions/revert-file.ts'
export { type EarlierBytes, earlierBytesOf, type Revision } from './revisions/revisions-table.ts'
export {
  drawingOf,
  fileNameOf,
  isWithheld,
  keyOf,
  type StoredFile,
  type StoredVariant,
  type VariantName,
  variantOf,
} from './stored-file.ts'
