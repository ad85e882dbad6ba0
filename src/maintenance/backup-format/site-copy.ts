import type { KeyRing } from '../../lib/key-ring.ts'
import type { StoredSigningKeys } from '../../site/index.ts'
import type { TenantCopy } from './control-copies-table.ts'

/** One site of a backup: a line of `control/sites.jsonl`. */
export interface SiteCopy {
  /** Its number in the backed-up installation; a restored site gets a new one. */
  number: number
  idKey: string
  state: 'live' | 'kept'
  installedAt: string | null
  tenant: TenantCopy | null
  /** Encrypted: signs the addresses of a site, if it is not the key that its installation derives. */
  signingKey?: string
  /** Encrypted JSON: the last rotation of that key, with the key before. */
  keyRotation?: string
  /** How many rows, by the name that the table had when the backup was made. */
  rows: Record<string, number>
  files: number
}

/** A line of a site's `files.jsonl`: bytes that lie under `files/` by their key. */
export interface BytesCopy {
  id: string
  key: string
  sizeBytes: number
  sha256: string
  /** Of an original, as its row has it; earlier versions did not compare the bytes with their row. */
  md5?: string
  /** When the bytes were last verified against their SHA-256; earlier versions did not record it. */
  checkedAt?: string
}

type Keys = Pick<SiteCopy, 'idKey' | 'signingKey' | 'keyRotation'>

const ownerOfSigningKey = ({ idKey }: Pick<SiteCopy, 'idKey'>) => `signing key of ${idKey}`
const ownerOfRotation = ({ idKey }: Pick<SiteCopy, 'idKey'>) => `key rotation of ${idKey}`

/** The encrypted members of a site's copy; none for a site of which the installation derives the key. */
export function sealedKeysOf(
  keyRing: KeyRing,
  copy: Pick<SiteCopy, 'idKey'>,
  {
    signingKey,
    keyRotation,
  }: { readonly [Name in keyof StoredSigningKeys]?: StoredSigningKeys[Name] | undefined },
): Pick<SiteCopy, 'signingKey' | 'keyRotation'> {
  if (signingKey === undefined) return {}
  const sealed = { signingKey: keyRing.seal(signingKey, ownerOfSigningKey(copy)) }
  if (!keyRotation) return sealed
  return { ...sealed, keyRotation: keyRing.seal(JSON.stringify(keyRotation), ownerOfRotation(copy)) }
}

/** Decrypts them; `reseal` encrypts a text for this installation if necessary, and refuses one that no key decrypts by name. */
export function openedKeysOf(
  keyRing: KeyRing,
  copy: Keys,
  reseal: (sealed: string | null, owner: string) => string | null,
): StoredSigningKeys | undefined {
  const open = (sealed: string | undefined, owner: string) => {
    const own = reseal(sealed ?? null, owner)
    return own === null ? undefined : keyRing.unseal(own, owner)
  }
  const signingKey = open(copy.signingKey, ownerOfSigningKey(copy))
  const keyRotation = open(copy.keyRotation, ownerOfRotation(copy))
  if (signingKey === undefined) return undefined
  return { signingKey, ...(keyRotation !== undefined && { keyRotation: JSON.parse(keyRotation) }) }
}

export const sitesPath = 'control/sites.jsonl'
export const plansPath = 'control/plans.jsonl'
export const keysPath = 'control/keys.jsonl'
/** Of the installation; earlier versions have neither. */
export const operatorsPath = 'control/operators.jsonl'
export const auditPath = 'control/audit.jsonl'
export const rowsPath = (site: number) => `sites/${site}/rows.jsonl`
export const filesPath = (site: number) => `sites/${site}/files.jsonl`
export const bytesPath = (site: number, key: string) => `sites/${site}/files/${key}`
