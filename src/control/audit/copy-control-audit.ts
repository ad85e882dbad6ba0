import type { ControlDb } from '../../db/index.ts'
import { installationLog } from '../../site/index.ts'
import type { Control } from '../control.ts'
import { signControlAudit } from './check-control-audit.ts'
import {
  type ControlAuditRow,
  controlAuditAfter,
  deleteControlAudit,
  emptyHead,
  findControlHead,
  insertControlAudit,
  insertControlHead,
} from './control-audit-table.ts'

const batchSize = 1_000

/** The whole log, oldest first, in batches. Rows that are written meanwhile are left out. */
export async function* controlAuditOldestFirst({
  store: { control: db },
}: Control): AsyncGenerator<ControlAuditRow[]> {
  const { sequence: until } = await findControlHead(db)
  for (let after = 0; after < until; ) {
    const rows = await controlAuditAfter(db, { after, until, limit: batchSize })
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.sequence ?? until
  }
}

/**
 * Puts the log of another installation in place of this one's, with its chain, and signs it with the secret of this
 * installation. Part of a transaction; `forgetControlHead` follows its commit.
 */
export async function replaceControlAudit(
  control: Control,
  db: ControlDb,
  rows: AsyncIterable<ControlAuditRow>,
): Promise<void> {
  await deleteControlAudit(db)
  let head = emptyHead
  let batch: ControlAuditRow[] = []
  for await (const row of rows) {
    batch.push(row)
    head = { ...head, sequence: row.sequence, hash: row.hash }
    if (batch.length < batchSize) continue
    await insertControlAudit(db, batch)
    batch = []
  }
  await insertControlAudit(db, batch)
  await insertControlHead(db, head)
  await signControlAudit(control, db)
}

/** The copy of the head that the earlier log had. */
export const forgetControlHead = ({ sites }: Control): Promise<void> =>
  sites.auditLogs.of(installationLog).removeCopy()
