import type { Site } from '../site.ts'
import type { AuditLog } from './audit-logs.ts'
import { type AuditHead, deletePruned, findHash, findHead, reserveRows, updateHead } from './audit-table.ts'
import type { AuditRow } from './chain.ts'

type SignedSite = Pick<Site, 'db' | 'auditLog'>

/** In place of a signature: the head before was not what was signed. It stays, so that no later change covers it up. */
const notSigned = '-'

/** The head that follows another one, with its signature, if the other was signed too or is the first of all. */
export async function signedAfter(
  log: AuditLog,
  before: AuditHead,
  head: Omit<AuditHead, 'mac'>,
): Promise<AuditHead> {
  const isNew = before.mac === '' && (before.sequence === 0 || (await hasNoCopy(log)))
  const isTrusted = isNew || log.isSigned(before)
  return { ...head, mac: isTrusted ? log.sign(head) : notSigned }
}

/** A log that was signed once has a copy: an empty signature is then one that was removed. */
const hasNoCopy = (log: AuditLog): Promise<boolean> =>
  log.readCopy().then(
    (copy) => copy === undefined,
    () => false,
  )

/** Deletes the oldest rows, up to this one. `db` must be a transaction. */
export async function pruneUpTo({ db, auditLog }: SignedSite, { sequence, hash }: AuditRow): Promise<void> {
  const before = await reserveRows(db, 0)
  await deletePruned(
    db,
    await signedAfter(auditLog, before, { ...before, prunedSequence: sequence, prunedHash: hash }),
  )
  auditLog.copySoon(before.sequence)
}

/** Signs the log as it is, whatever was signed before. `db` must be a transaction. */
export async function signAnew({ db, auditLog }: SignedSite): Promise<void> {
  const head = await reserveRows(db, 0)
  await updateHead(db, { ...head, mac: auditLog.sign(head) })
}

export interface BrokenAudit {
  /** The row from which on the log is not what was written. */
  sequence: number
  fault: string
}

/** Where the log differs from the copy of its head. The log may have grown since, but must contain what was copied. */
export async function findAuditConflict({ db, auditLog }: SignedSite): Promise<BrokenAudit | undefined> {
  const copy = await auditLog.readCopy()
  if (copy === undefined) return undefined
  // The row before the head: if the retention deletes it meanwhile, the head that is read afterwards says so.
  const hash = copy === 'forged' ? undefined : await findHash(db, copy.sequence)
  const head = await findHead(db)
  if (copy === 'forged')
    return { sequence: head.sequence, fault: `its signed head in ${auditLog.path} is not what was written` }
  if (head.sequence < copy.sequence)
    return {
      sequence: head.sequence + 1,
      fault: `${rowsText(head.sequence + 1, copy.sequence)} missing, the database was put back to an earlier state`,
    }
  if (head.prunedSequence < copy.prunedSequence)
    return {
      sequence: head.prunedSequence + 1,
      fault: `${rowsText(head.prunedSequence + 1, copy.prunedSequence)} back that the retention had deleted, the database was put back to an earlier state`,
    }
  const known = copy.sequence === head.prunedSequence ? head.prunedHash : hash
  if (copy.sequence >= head.prunedSequence && known !== copy.hash)
    return {
      sequence: copy.sequence,
      fault: `the rows up to ${copy.sequence} are not those that were signed`,
    }
  if (head.mac === '') return { sequence: head.sequence, fault: 'its signature was removed' }
  return undefined
}

export const rowsText = (from: number, to: number): string =>
  from === to ? `the row ${from} is` : `the rows ${from} to ${to} are`

/** Copies the head out of the database, unless that would cover up a conflict. Returns its row. */
export async function copyHead(site: SignedSite): Promise<number> {
  const { db, auditLog } = site
  const conflict = await findAuditConflict(site)
  if (conflict) throw new Error(`The audit log was changed outside of Terrace: ${conflict.fault}.`)
  const head = await findHead(db)
  if (!auditLog.isSigned(head))
    throw new Error('The audit log was changed outside of Terrace: its head is not signed.')
  await auditLog.writeCopy(head)
  return head.sequence
}
