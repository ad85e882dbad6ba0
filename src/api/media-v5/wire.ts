/** The field names and time formats of the site's own API, a file for each subject. */

export {
  AlbumEditBody,
  AlbumObject,
  albumFaults,
  NewAlbumBody,
  OrderBody,
  orderFaults,
  readAlbumEdit,
  readNewAlbum,
  readOrder,
  writeAlbum,
} from '../../http/wire/albums.ts'
export { AuditObject, auditFields, writeAudit } from '../../http/wire/audit.ts'
export {
  BulkBody,
  BulkObject,
  bulkFaults,
  mostReason,
  readBulk,
  reasonFaults,
  writeBulk,
} from '../../http/wire/bulk-changes.ts'
export { CountedPageOf, ofId, PageOf, writePage, writeTotal } from '../../http/wire/common.ts'
export { FileEditBody, fileEditFaults, readFileEdit } from '../../http/wire/file-edits.ts'
export {
  FileObject,
  UploadedFileObject,
  UploadWarnings,
  type WrittenFile,
  writeFile,
  writeWarnings,
} from '../../http/wire/files.ts'
export {
  CategoryEditBody,
  CategoryObject,
  categoryFaults,
  NewCategoryBody,
  readCategoryEdit,
  readNewCategory,
  readTagName,
  TagEditBody,
  TagObject,
  TagText,
  tagEditFaults,
  writeCategory,
  writeTag,
} from '../../http/wire/labels.ts'
export {
  CollectedObject,
  NewShareBody,
  OpenedShareObject,
  OpenShareBody,
  readOpening,
  readShareFields,
  ShareEditBody,
  ShareObject,
  ShareToken,
  shareFaults,
  writeShare,
} from '../../http/wire/shares.ts'
export {
  CreatedKeyObject,
  KeyEditBody,
  KeyObject,
  keyFaults,
  NewKeyBody,
  RotateBody,
  readKeyEdit,
  readNewKey,
  readOverlap,
  writeCreatedKey,
  writeKey,
} from './wire/account/keys.ts'
export { AccountEditBody, type Me, MeObject, readAccountEdit, writeMe } from './wire/account/me.ts'
export { LogInBody, readLogIn, SessionObject, writeSession } from './wire/account/sessions.ts'
export {
  readSettingsEdit,
  SettingsEditBody,
  SettingsObject,
  settingFaults,
  writeSettings,
} from './wire/admin/settings.ts'
export {
  NewPageBody,
  ofPage,
  PageEditBody,
  PageOfListObject,
  pageFaults,
  readNewPage,
  readPageEdit,
  SitePageObject,
  writePageOfList,
  writeSitePage,
} from './wire/admin/site-pages.ts'
export { SiteStatsObject, writeSiteStats } from './wire/admin/stats.ts'
export {
  NewUserBody,
  readNewUser,
  readUserEdit,
  readUserRemoval,
  UserEditBody,
  UserObject,
  UserRemovalQuery,
  writeUser,
} from './wire/admin/users.ts'
export { ReportBody, readReport, reportFaults } from './wire/of-files/reports.ts'
export { RevertBody, RevisionList, writeRevision } from './wire/of-files/revisions.ts'
export { UnfinishedUploadObject, writeUnfinishedUpload } from './wire/uploads.ts'
