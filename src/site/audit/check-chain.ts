import type { SiteDb } from '../../db/index.ts'
import { auditAfter, findHead } from './audit-table.ts'
import { firstHash, hashOfRow } from './chain.ts'

const pageSize = 1_000

/** Where the audit log is not what was written: the number of the row and what is wrong. Undefined if it is whole. */
export async function findBrokenAudit(db: SiteDb): Promise<{ sequence: number; fault: string } | undefined> {
  const head = (await findHead(db)) ?? noHead
  let [sequence, hash] = [head.prunedSequence, head.prunedHash]
  for (;;) {
    const rows = await auditAfter(db, sequence, pageSize)
    for (const row of rows) {
      if (row.sequence !== sequence + 1)
        return {
          sequence: sequence + 1,
          fault: `the rows ${sequence + 1} to ${row.sequence - 1} are missing`,
        }
      if (hashOfRow(hash, row) !== row.hash)
        return { sequence: row.sequence, fault: `the row ${row.sequence} is not what was written` }
      ;({ sequence, hash } = row)
    }
    if (rows.length < pageSize) break
  }
  if (sequence < head.sequence)
    return { sequence: sequence + 1, fault: `the rows ${sequence + 1} to ${head.sequence} are missing` }
  if (sequence > head.sequence || hash !== head.hash)
    return { sequence, fault: `the row ${sequence} does not belong to the end that was written` }
  return undefined
}

const noHead = { sequence: 0, hash: firstHash, prunedSequence: 0, prunedHash: firstHash }
