import { csvLine } from '../../lib/csv.ts'
import { type AuditFilter, type ListedAudit, type Site, walkAudit } from '../../site/index.ts'
import type { Lines } from '../responses/send-lines.ts'
import { auditFields, writeAudit } from './audit.ts'

export const auditFormats = ['ndjson', 'csv'] as const
export type AuditFormat = (typeof auditFormats)[number]

const contentTypes: Readonly<Record<AuditFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

/** All that the filter lets through, newest first. Without a filter there is nothing to tell. */
export const auditExport = (site: Site, filter: AuditFilter | undefined, format: AuditFormat): Lines => ({
  contentType: contentTypes[format],
  filename: `audit.${format}`,
  chunks: chunksOf(site, filter, format),
})

async function* chunksOf(site: Site, filter: AuditFilter | undefined, format: AuditFormat) {
  if (format === 'csv') yield csvLine(csvNames)
  if (!filter) return
  const lineOf = format === 'csv' ? (row: ListedAudit) => csvLine(csvCells(row)) : jsonLine
  for await (const rows of walkAudit(site, filter)) yield rows.map(lineOf).join('')
}

/** The object of `GET /api/5/audit`, one in a line. */
const jsonLine = (row: ListedAudit) => `${JSON.stringify(writeAudit(row))}\n`

const csvNames = [
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
]

const csvCells = (row: ListedAudit) => [
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
]
