import type { TenantCopy } from './control-copies-table.ts'

/** One site of a backup: a line of `control/sites.jsonl`. */
export interface SiteCopy {
  /** Its number in the backed-up installation; a restored site gets a new one. */
  number: number
  idKey: string
  state: 'live' | 'kept'
  installedAt: string | null
  tenant: TenantCopy | null
  /** Encrypted: signs the addresses that an imported or restored site gave out where it came from. */
  signingKey?: string
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

export const ownerOfSigningKey = ({ idKey }: Pick<SiteCopy, 'idKey'>) => `signing key of ${idKey}`

export const sitesPath = 'control/sites.jsonl'
export const plansPath = 'control/plans.jsonl'
export const keysPath = 'control/keys.jsonl'
/** Of the installation; earlier versions have neither. */
export const operatorsPath = 'control/operators.jsonl'
export const auditPath = 'control/audit.jsonl'
export const rowsPath = (site: number) => `sites/${site}/rows.jsonl`
export const filesPath = (site: number) => `sites/${site}/files.jsonl`
export const bytesPath = (site: number, key: string) => `sites/${site}/files/${key}`
