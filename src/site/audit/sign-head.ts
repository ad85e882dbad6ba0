import type { Site } from '../site.ts'
import type { AuditLog } from './audit-logs.ts'
import {
  type AuditHead,
  auditAfter,
  deletePruned,
  findHash,
  findHead,
  reserveRows,
  updateHead,
} from './audit-table.ts'
import { type AuditRow, hashOfRow } from './chain.ts'
import {
  type AuditRows,
  type BrokenAudit,
  copySignedHead,
  findBrokenChain,
  findConflictWithCopy,
} from './check-chain.ts'

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

const rowsOf = (db: SignedSite['db']): AuditRows<AuditRow> => ({
  head: () => findHead(db),
  hashOf: (sequence) => findHash(db, sequence),
  after: (sequence, limit) => auditAfter(db, sequence, limit),
  chained: hashOfRow,
})

/** Where the audit log is not what was written, by its rows and the signature of its head. Undefined if it is whole. */
export const findBrokenAudit = ({ db, auditLog }: SignedSite): Promise<BrokenAudit | undefined> =>
  findBrokenChain(rowsOf(db), auditLog)

/** Where the log differs from the copy of its head. */
export const findAuditConflict = ({ db, auditLog }: SignedSite): Promise<BrokenAudit | undefined> =>
  findConflictWithCopy(rowsOf(db), auditLog)

/** Copies the head out of the database, unless that would cover up a conflict. Returns its row. */
export const copyHead = ({ db, auditLog }: SignedSite): Promise<number> =>
  copySignedHead(rowsOf(db), auditLog)
