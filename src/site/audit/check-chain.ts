import { englishOf, type Message, message } from '../../lib/messages.ts'
import type { AuditLog } from './audit-logs.ts'
import type { AuditHead } from './audit-table.ts'

export interface BrokenAudit {
  /** The row from which on the log is not what was written. */
  sequence: number
  fault: Message
}

interface ChainedRow {
  sequence: number
  hash: string
}

/** The rows of an audit log, of a site or of the installation, as far as its chain needs them. */
export interface AuditRows<Row extends ChainedRow> {
  head(): Promise<AuditHead>
  /** Undefined if the row was never written, or is deleted. */
  hashOf(sequence: number): Promise<string | undefined>
  /** Oldest first. */
  after(sequence: number, limit: number): Promise<readonly Row[]>
  /** The hash that a row has behind the hash before it. */
  chained(previous: string, row: Row): string
}

const pageSize = 1_000

/** Where an audit log is not what was written, by its rows and the signature of its head. Undefined if it is whole. */
export async function findBrokenChain<Row extends ChainedRow>(
  rows: AuditRows<Row>,
  log: AuditLog,
): Promise<BrokenAudit | undefined> {
  const head = await rows.head()
  let [sequence, hash] = [head.prunedSequence, head.prunedHash]
  for (;;) {
    const page = await rows.after(sequence, pageSize)
    for (const row of page) {
      if (row.sequence !== sequence + 1) return missing(sequence + 1, row.sequence - 1)
      if (rows.chained(hash, row) !== row.hash)
        return { sequence: row.sequence, fault: message('auditRowChanged', { row: row.sequence }) }
      ;({ sequence, hash } = row)
    }
    if (page.length < pageSize) break
  }
  if (sequence < head.sequence) return missing(sequence + 1, head.sequence)
  if (sequence > head.sequence || hash !== head.hash)
    return { sequence, fault: message('auditRowDetached', { row: sequence }) }
  if (head.mac !== '' && !log.isSigned(head))
    return { sequence, fault: message('auditRowsUnsigned', { last: sequence }) }
  return undefined
}

const missing = (from: number, to: number) => ({
  sequence: from,
  fault: message('auditRowsMissing', { from, to }),
})

/** Where a log differs from the copy of its head. The log may have grown since, but must contain what was copied. */
export async function findConflictWithCopy<Row extends ChainedRow>(
  rows: AuditRows<Row>,
  log: AuditLog,
): Promise<BrokenAudit | undefined> {
  const copy = await log.readCopy()
  if (copy === undefined) return undefined
  // The row before the head: if the retention deletes it meanwhile, the head that is read afterwards says so.
  const hash = copy === 'forged' ? undefined : await rows.hashOf(copy.sequence)
  const head = await rows.head()
  if (copy === 'forged')
    return { sequence: head.sequence, fault: message('auditHeadForged', { path: log.path }) }
  if (head.sequence < copy.sequence) {
    const from = head.sequence + 1
    return { sequence: from, fault: message('auditRowsReverted', { from, to: copy.sequence }) }
  }
  if (head.prunedSequence < copy.prunedSequence) {
    const from = head.prunedSequence + 1
    return { sequence: from, fault: message('auditRowsReturned', { from, to: copy.prunedSequence }) }
  }
  const known = copy.sequence === head.prunedSequence ? head.prunedHash : hash
  if (copy.sequence >= head.prunedSequence && known !== copy.hash)
    return { sequence: copy.sequence, fault: message('auditRowsUnsigned', { last: copy.sequence }) }
  if (head.mac === '') return { sequence: head.sequence, fault: message('auditUnsigned') }
  return undefined
}

/** Copies a head out of the database, unless that would cover up a conflict. Returns its row. */
export async function copySignedHead<Row extends ChainedRow>(
  rows: AuditRows<Row>,
  log: AuditLog,
): Promise<number> {
  const conflict = await findConflictWithCopy(rows, log)
  if (conflict) throw new Error(`The audit log was changed outside of Terrace: ${englishOf(conflict.fault)}.`)
  const head = await rows.head()
  // The transaction that writes the first row has asked for a copy, and is not committed yet.
  if (head.sequence === 0 && head.mac === '') return 0
  if (!log.isSigned(head))
    throw new Error('The audit log was changed outside of Terrace: its head is not signed.')
  await log.writeCopy(head)
  return head.sequence
}
