import { csvLine } from '../../lib/csv.ts'
import type { Lines } from '../responses/send-lines.ts'

export const auditFormats = ['ndjson', 'csv'] as const
export type AuditFormat = (typeof auditFormats)[number]

const contentTypes: Readonly<Record<AuditFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

/** How the rows of one kind of audit log are written. */
export interface AuditColumns<Row> {
  /** The object of the API. */
  write: (row: Row) => unknown
  csvNames: readonly string[]
  csvCells: (row: Row) => readonly unknown[]
}

/** An audit log as a download: one object or one line for each row. */
export const auditLines = <Row>(
  format: AuditFormat,
  batches: AsyncIterable<readonly Row[]> | undefined,
  columns: AuditColumns<Row>,
): Lines => ({
  contentType: contentTypes[format],
  filename: `audit.${format}`,
  chunks: auditText(format, batches, columns),
})

/** Its text, in chunks: it is never in memory as a whole. */
export async function* auditText<Row>(
  format: AuditFormat,
  batches: AsyncIterable<readonly Row[]> | undefined,
  { write, csvNames, csvCells }: AuditColumns<Row>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(csvNames)
  if (!batches) return
  const lineOf =
    format === 'csv' ? (row: Row) => csvLine(csvCells(row)) : (row: Row) => `${JSON.stringify(write(row))}\n`
  for await (const rows of batches) yield rows.map(lineOf).join('')
}
