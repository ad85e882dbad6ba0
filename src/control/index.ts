export type { Control } from './control.ts'
export { badKey } from './errors.ts'
export { checkSecrets, isMarkSealedBy, isSetUp, leaveMark, nameOfInstallation } from './installation.ts'
export { countJob, type JobTally, newJobTally } from './job-tally.ts'
export {
  countJobs,
  deleteJob,
  findDueAt,
  insertJob,
  raiseToken,
  troubledJobs,
  updateJob,
  upsertDueAt,
} from './jobs-table.ts'
export { createKey, deleteKey, listKeys, verifyKey } from './keys.ts'
export type { ControlKey } from './keys-table.ts'
export { type HeldLease, holdLease, type TakenLease, takeDueSites } from './leases.ts'
export { Memory } from './memory.ts'
export { deleteMeta, findMeta, metaLike, upsertMeta } from './meta-table.ts'
export { pruneNonces, takeNonce } from './nonces.ts'
export {
  encryptionKeysPath,
  type KeyFile,
  keptRequestSecret,
  openKeyFile,
  parseKeys,
  requestSecretPath,
} from './secret-files.ts'
