export { actingAs, type ControlAuthor } from './audit/author.ts'
export {
  acceptControlAudit,
  copyControlHead,
  findControlAuditFault,
  signControlAudit,
} from './audit/check-control-audit.ts'
export { lastChangeOf, listControlAudit, walkControlAudit } from './audit/control-audit-list.ts'
export type { ControlAuditEntry, ControlAuditFilter } from './audit/control-audit-list-table.ts'
export type { ControlAuditRow } from './audit/control-audit-table.ts'
export { type ControlVerb, controlVerbs, isControlVerb } from './audit/control-verbs.ts'
export {
  controlAuditOldestFirst,
  forgetControlHead,
  replaceControlAudit,
} from './audit/copy-control-audit.ts'
export {
  type AuditedControl,
  type ControlChange,
  recordControlChange,
  recordControlChanges,
} from './audit/record-control-change.ts'
export type { Control } from './control.ts'
export { badKey, keyNotFound, keyNotValid } from './errors.ts'
export {
  auditSecret,
  checkSecrets,
  installationId,
  installationKey,
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
export {
  cannotDeleteSelf,
  inviteEnded,
  lastOperator,
  lastSecondFactor,
  logInRefused,
  operatorNotFound,
} from './operators/errors.ts'
export {
  beginPasskeySetUp,
  type OpenedInvite,
  openInvite,
  setUpWithPasskey,
  setUpWithTotp,
} from './operators/invites.ts'
export {
  finishOperatorLogIn,
  type HalfOperatorLogIn,
  logInOperator,
  logInWithPasskey,
  openHalfOperatorLogIn,
} from './operators/log-in.ts'
export type { OperatorRequest } from './operators/operator-request.ts'
export {
  createFirstOperator,
  createOperator,
  deleteOperator,
  hasOperator,
  type InvitedOperator,
  listOperators,
  resetOperator,
  setOperatorRole,
} from './operators/operators.ts'
export {
  type ListedOperator,
  type Operator,
  type OperatorName,
  type OperatorRole,
  operatorRoles,
} from './operators/operators-table.ts'
export {
  addOperatorPasskey,
  beginOperatorPasskey,
  beginOperatorTotp,
  changeOperatorPassword,
  type OwnOperator,
  readOwnOperator,
  removeOperatorPasskey,
  removeOperatorTotp,
  renameOperatorPasskey,
  renewOperatorCodes,
  setUpOperatorTotp,
} from './operators/own-account.ts'
export {
  type NewOperatorPasskey,
  type OperatorPasskeyAnswer,
  operatorPasskeyRequest,
} from './operators/passkeys.ts'
export type { OperatorPasskey } from './operators/passkeys-table.ts'
export { unreadableOperators } from './operators/reseal.ts'
export { totpOwner } from './operators/second-step.ts'
export {
  endOperatorSession,
  listOperatorSessions,
  type OpenedOperatorSession,
  type OperatorCaller,
  openOperatorSession,
  operatorOfEndedSession,
  proveByPasskey,
  proveByPassword,
  recordOperatorUse,
} from './operators/sessions.ts'
export type { OperatorSession } from './operators/sessions-table.ts'
export { type PendingDay, PendingStats } from './pending-stats.ts'
export { isAbandoned, leaseEnd, type ProcessLease, thisProcess } from './process-lease.ts'
export {
  encryptionKeysPath,
  type KeyFile,
  keptRequestSecret,
  openKeyFile,
  parseKeys,
  requestSecretPath,
} from './secret-files.ts'
export { type ChangeNotifications, VersionedCache } from './versioned-cache.ts'
export { workNotFound } from './work/errors.ts'
export { runOwnWork } from './work/own-work.ts'
export type { Progress, WorkFault, WorkOutcome, WorkRules } from './work/run-taken.ts'
export { openWorkRunner, type WorkRunner } from './work/run-work.ts'
export {
  cancelWork,
  findLastDone,
  insertDoneWork,
  insertNewWork,
  listWork,
  type NewWork,
  readMoveStates,
  readWork,
  secondsLeft,
  type Work,
  type WorkKind,
  type WorkState,
  type WorkUnit,
} from './work/work.ts'
