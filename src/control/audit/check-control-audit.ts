import { type ControlDb, inTransaction } from '../../db/index.ts'
import { message } from '../../lib/messages.ts'
import {
  type AuditHead,
  type AuditRows,
  type BrokenAudit,
  copySignedHead,
  findBrokenChain,
  findConflictWithCopy,
  installationLog,
} from '../../site/index.ts'
import type { Control } from '../control.ts'
import {
  type ControlAuditRow,
  controlAuditAfter,
  findControlHash,
  findControlHead,
  findLastSequence,
  hashOfControlRow,
  reserveControlRows,
  updateControlHead,
} from './control-audit-table.ts'
import { recordControlChange } from './record-control-change.ts'

const logOf = ({ sites }: Pick<Control, 'sites'>) => sites.auditLogs.of(installationLog)

/** Up to a head, if one is given: while the log is checked, others write to it. */
const rowsOf = (db: ControlDb, head?: AuditHead): AuditRows<ControlAuditRow> => ({
  head: async () => head ?? (await findControlHead(db)),
  hashOf: (sequence) => findControlHash(db, sequence),
  after: (after, limit) =>
    controlAuditAfter(db, { after, until: head?.sequence ?? Number.MAX_SAFE_INTEGER, limit }),
  chained: hashOfControlRow,
})

/** Where the audit log of the installation is not what was written. Undefined if it is whole. */
export async function findControlAuditFault(control: Control): Promise<BrokenAudit | undefined> {
  const db = control.store.control
  const last = await findLastSequence(db)
  const head = await findControlHead(db)
  const broken = await findBrokenChain(rowsOf(db, head), logOf(control))
  if (broken) return broken
  if (last > head.sequence) return { sequence: last, fault: message('auditRowDetached', { row: last }) }
  return findConflictWithCopy(rowsOf(db), logOf(control))
}

/** Copies the head out of the database, unless that would cover up a conflict. Returns its row. */
export const copyControlHead = (control: Control): Promise<number> =>
  copySignedHead(rowsOf(control.store.control), logOf(control))

/** Accepts the log as it is, for an operator who has looked at it. The log says that it was accepted. */
export async function acceptControlAudit(control: Control): Promise<void> {
  await inTransaction(control.store.control, (db) => signControlAudit(control, db))
  await logOf(control).removeCopy()
}

/** Signs the log as it is, whatever was signed before. Part of a transaction. */
export async function signControlAudit(control: Control, db: ControlDb): Promise<void> {
  const head = await reserveControlRows(db, 0)
  await updateControlHead(db, { ...head, mac: logOf(control).sign(head) })
  await recordControlChange(control, db, { verb: 'audit.signed', target: '' })
}
