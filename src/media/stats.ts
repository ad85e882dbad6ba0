import { allTotals, type Site, type Totals } from '../site/index.ts'
import { countTrash } from './files/removal/trash-count-table.ts'

export interface SiteStats {
  totals: Totals
  trash: { files: number; bytes: number }
  /** Of variants that are made on request; there are none yet. */
  derivedBytes: number
}

export async function readStats(site: Site): Promise<SiteStats> {
  return { totals: await allTotals(site.db), trash: await countTrash(site.db), derivedBytes: 0 }
}
