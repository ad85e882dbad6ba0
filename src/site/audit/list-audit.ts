import type { Site } from '../site.ts'
import { type AuditFilter, auditBefore, type ListedAudit } from './audit-table.ts'

/** A page of the audit log, newest first: the rows before one of them. */
export const listAudit = (
  site: Site,
  filter: AuditFilter,
  page: { before: number | undefined; limit: number },
): Promise<ListedAudit[]> => auditBefore(site.db, filter, page)

const batchSize = 500

/** Every row that the filter lets through, newest first, in batches: an export of years must not be in memory at once. */
export async function* walkAudit(site: Site, filter: AuditFilter): AsyncGenerator<ListedAudit[]> {
  for (let before: number | undefined; ; ) {
    const rows = await listAudit(site, filter, { before, limit: batchSize })
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    before = rows.at(-1)?.sequence
  }
}
