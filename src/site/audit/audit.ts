import { inTransaction } from '../../db/index.ts'
import type { Site } from '../site.ts'
import type { SiteValues } from '../values.ts'
import { type AuditFilter, auditBefore, type ListedAudit } from './audit-table.ts'
import { type AuditedSite, recordChange } from './record-change.ts'
import { signAnew } from './sign-head.ts'

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

/** Accepts the audit log as it is, for an operator who has looked at it. The log says that it was accepted. */
export async function acceptAudit(site: AuditedSite): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await signAnew({ ...site, db })
    await recordChange({ ...site, db }, { verb: 'audit.signed', target: '' })
  })
  await site.auditLog.removeCopy()
}

const dayMs = 24 * 60 * 60_000

/** How long the audit log, and the addresses that it and others hold, are kept. Undefined if for ever. */
export const auditKeptMs = (values: SiteValues): number | undefined =>
  Number(values.get('SERVICE_AUDIT_DAYS') ?? 365) * dayMs || undefined
