export * from './albums/index.ts'
export { type Allowance, bindingStorage, readAllowance, storageLeft } from './allowance.ts'
export {
  brandSlots,
  drawProfilePicture,
  listBrandPictures,
  mostBrandBytes,
  readBrandPicture,
  removeBrandPicture,
  setBrandPicture,
} from './brand-pictures.ts'
export { type BrandPicture, type BrandSlot, keyOfBrandPicture } from './brand-pictures-table.ts'
export {
  albumCircle,
  albumNotFound,
  badParameter,
  brandPictureTooLarge,
  bulkFailed,
  categoryExists,
  categoryNotFound,
  emptySource,
  fileDamaged,
  fileInTrash,
  fileNotFound,
  fileTooBig,
  mayNotUpload,
  noSuchFile,
  noSuchPage,
  noSuchPreset,
  notYourAlbum,
  notYourFile,
  otherType,
  otherVersion,
  presetExists,
  revisionDamaged,
  revisionNotFound,
  tagNotFound,
  tooManyPresets,
  urlKeyTaken,
  userHasFiles,
} from './errors.ts'
export * from './files/index.ts'
export { damagedFiles } from './jobs/scrub-files.ts'
export { nextRunAt, siteJobs } from './jobs/site-jobs.ts'
export { isCopied, type LimitUse, readLimitUses, useInTotals } from './limit-uses.ts'
export { checkListing, listedToMembers, listingOff, mayListOthers } from './listing.ts'
export {
  mostPending,
  type Overview,
  readOverview,
  readStats,
  readStorageUse,
  type SiteStats,
  type StorageUse,
} from './overview.ts'
export * from './pages/index.ts'
export { pathsOfProtected } from './purges/hidden-files-table.ts'
export * from './reports/index.ts'
export * from './resumable/index.ts'
export { mostTerms, parseQuery, type QueryFault, readQuery, type SearchQuery } from './search/search-query.ts'
export * from './shares/index.ts'
export { type Suggestions, suggest } from './suggestions.ts'
export * from './transforms/index.ts'
export * from './upload/index.ts'
export { readUploadChoices, type UploadChoices } from './upload-choices.ts'
export { listAllUsers, listUserSummaries, readUserSummary } from './user-summaries.ts'
export { type UserSort, type UserSummary, userSorts } from './user-summaries-table.ts'
