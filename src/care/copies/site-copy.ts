import type { SiteTableName } from '../../db/index.ts'
import type { TenantCopy } from './control-copies-table.ts'

/** What a backup says of one site, on one line of `control/sites.jsonl`. */
export interface SiteCopy {
  /** Its number where it was; it gets another one where it is restored. */
  number: number
  idKey: string
  state: 'live' | 'kept'
  installedAt: string | null
  tenant: TenantCopy | null
  /** Rows by table. */
  rows: Partial<Record<SiteTableName, number>>
  files: number
}

/** One line of a site's `files.jsonl`: bytes that stand under `files/` by their key. */
export interface BytesCopy {
  id: string
  key: string
  sizeBytes: number
  sha256: string
}

export const sitesPath = 'control/sites.jsonl'
export const plansPath = 'control/plans.jsonl'
export const keysPath = 'control/keys.jsonl'
export const rowsPath = (site: number) => `sites/${site}/rows.jsonl`
export const filesPath = (site: number) => `sites/${site}/files.jsonl`
export const bytesPath = (site: number, key: string) => `sites/${site}/files/${key}`

/** Notes of work that is under way where the backup was taken, and of bytes that it does not have. */
export const passingTables: ReadonlySet<SiteTableName> = new Set(['removal', 'jobRun', 'jobFence'])
