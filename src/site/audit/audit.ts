import type { Site } from '../site.ts'
import { auditAfter, findHead } from './audit-table.ts'
import { hashOfRow } from './chain.ts'
import { type BrokenAudit, rowsText } from './sign-head.ts'

const pageSize = 1_000

/** Where the audit log is not what was written, by its rows and the signature of its head. Undefined if it is whole. */
export async function findBrokenAudit({
  db,
  auditLog,
}: Pick<Site, 'db' | 'auditLog'>): Promise<BrokenAudit | undefined> {
  const head = await findHead(db)
  let [sequence, hash] = [head.prunedSequence, head.prunedHash]
  for (;;) {
    const rows = await auditAfter(db, sequence, pageSize)
    for (const row of rows) {
      if (row.sequence !== sequence + 1) return missing(sequence + 1, row.sequence - 1)
      if (hashOfRow(hash, row) !== row.hash)
        return { sequence: row.sequence, fault: `the row ${row.sequence} is not what was written` }
      ;({ sequence, hash } = row)
    }
    if (rows.length < pageSize) break
  }
  if (sequence < head.sequence) return missing(sequence + 1, head.sequence)
  if (sequence > head.sequence || hash !== head.hash)
    return { sequence, fault: `the row ${sequence} does not belong to the end that was written` }
  if (head.mac !== '' && !auditLog.isSigned(head))
    return { sequence, fault: `the rows up to ${sequence} are not those that were signed` }
  return undefined
}

const missing = (from: number, to: number) => ({ sequence: from, fault: `${rowsText(from, to)} missing` })
