export * from './albums/index.ts'
export { type Allowance, readAllowance } from './allowance.ts'
export * from './brand/index.ts'
export { type Day, type DayRange, dayRanges, readDays } from './day-totals.ts'
export {
  albumCircle,
  albumNotFound,
  badParameter,
  bulkFailed,
  categoryExists,
  categoryNotFound,
  emptySource,
  fileDamaged,
  fileInTrash,
  fileNotFound,
  mayNotUpload,
  noSuchFile,
  noSuchPage,
  notYourAlbum,
  notYourFile,
  otherType,
  otherVersion,
  revisionDamaged,
  revisionNotFound,
  tagNotFound,
  urlKeyTaken,
  userHasFiles,
} from './errors.ts'
export * from './files/index.ts'
export * from './jobs/index.ts'
export { checkListing, listedToMembers, listingOff, mayListOthers } from './listing.ts'
export { mostPending, type Overview, readOverview } from './overview.ts'
export * from './pages/index.ts'
export * from './people/index.ts'
export * from './reports/index.ts'
export * from './resumable/index.ts'
export * from './search/index.ts'
export * from './shares/index.ts'
export { readStats, type SiteStats } from './stats.ts'
export { readStorageUse, type StorageUse } from './storage-use.ts'
export * from './upload/index.ts'
export { readUploadChoices, type UploadChoices } from './upload-choices.ts'
