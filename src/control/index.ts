export type { Control } from './control.ts'
export { badKey } from './errors.ts'
export { checkSecrets, isMarkSealedBy, isSetUp, leaveMark } from './installation.ts'
export { createKey, deleteKey, listKeys, verifyKey } from './keys.ts'
export type { ControlKey } from './keys-table.ts'
export { Memory } from './memory.ts'
export { takeNonce } from './nonces.ts'
export {
  encryptionKeysPath,
  type KeyFile,
  keptRequestSecret,
  openKeyFile,
  parseKeys,
  requestSecretPath,
} from './secret-files.ts'
