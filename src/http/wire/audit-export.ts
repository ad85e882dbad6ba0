import { type AuditFilter, type ListedAudit, type Site, walkAudit } from '../../site/index.ts'
import type { Lines } from '../responses/send-lines.ts'
import { auditFields, writeAudit } from './audit.ts'
import { type AuditColumns, type AuditFormat, auditLines } from './audit-lines.ts'

/** All that the filter lets through, newest first. Without a filter there is nothing to export. */
export const auditExport = (site: Site, filter: AuditFilter | undefined, format: AuditFormat): Lines =>
  auditLines(format, filter && walkAudit(site, filter), columns)

const columns: AuditColumns<ListedAudit> = {
  write: writeAudit,
  csvNames: [
    'sequence',
    'created_at',
    'verb',
    'actor',
    'user_id',
    'username',
    'key_id',
    'address',
    'target',
    'before',
    'after',
    'hash',
  ],
  csvCells: (row) => [
    row.sequence,
    row.at,
    row.verb,
    row.actor,
    row.userId,
    row.username,
    row.keyId,
    row.address,
    row.target,
    JSON.stringify(auditFields(row.before)),
    JSON.stringify(auditFields(row.after)),
    row.hash,
  ],
}
