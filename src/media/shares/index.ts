export { collectFile, collectorOf } from './collect-files.ts'
export { shareForVisitor, shareOfToken, takeView } from './open-share.ts'
export {
  accessOf,
  type OpenedShare,
  passSeconds,
  shareGiving,
  shareOfPass,
  sharePassForm,
  writePass,
} from './share-pass.ts'
export {
  checkSentWithoutPass,
  checkSharePassword,
  isLetterBox,
  isUsedUp,
  noSuchShare,
  notYourShare,
  shareEnded,
  sharePasswordNeeded,
  takesNoUploads,
  unknownShare,
  uploadsUsedUp,
} from './share-rules.ts'
export { checkSharedBytes } from './shared-bytes.ts'
export {
  allShares,
  createShare,
  createShareOf,
  editOwnShare,
  isOfOthers,
  listOwnShares,
  mayEditShare,
  mayEndShare,
  type NewShare,
  readOwnShare,
  revokeOwnShare,
  revokeShare,
  type ShareChange,
  tokenOwner,
  usualShareEnd,
} from './shares.ts'
export type { Share } from './shares-table.ts'
