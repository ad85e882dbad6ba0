export { actingAs, type ControlAuthor } from './audit/author.ts'
export { type ControlVerb, controlVerbs, isControlVerb } from './audit/control-verbs.ts'
export {
  type AuditedControl,
  type ControlChange,
  recordControlChange,
  recordControlChanges,
} from './audit/record-control-change.ts'
export type { Control } from './control.ts'
export { badKey, keyNotValid } from './errors.ts'
export {
  auditSecret,
  checkSecrets,
  installationId,
  isInstallationSealedBy,
  isSetUp,
  type PublicAddress,
  recordedPublicAddress,
  recordPublicAddress,
  resealInstallation,
  storageFolder,
} from './installation.ts'
export { findAnswer, type HashedCall, keepAnswer, startCall } from './kept-answers.ts'
export { createKey, deleteKey, listKeys, verifyKey } from './keys/keys.ts'
export type { ControlKey } from './keys/keys-table.ts'
export { pruneNonces, takeNonce } from './keys/nonces.ts'
export { deleteMeta, findMeta, metaLike, upsertMeta } from './meta-table.ts'
export { type PendingDay, PendingStats } from './pending-stats.ts'
export {
  encryptionKeysPath,
  type KeyFile,
  keptRequestSecret,
  openKeyFile,
  parseKeys,
  requestSecretPath,
} from './secret-files.ts'
export { type ChangeNotifications, VersionedCache } from './versioned-cache.ts'
