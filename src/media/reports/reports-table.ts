import { type ExpressionBuilder, sql } from 'kysely'
import { prepare, requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'
import { isLive } from '../files/files-table.ts'

/** Why a file is reported. `other` needs a text. */
export const reportReasons = ['illegal', 'sexual', 'abuse', 'privacy', 'copyright', 'spam', 'other'] as const

export type ReportReason = (typeof reportReasons)[number]

export const isReportReason = (text: string): text is ReportReason =>
  (reportReasons as readonly string[]).includes(text)

export const longestReportText = 1_000

interface FileReport {
  id: string
  fileId: string
  /** Undefined for a guest. */
  userId: string | undefined
  /** The network that it came from; empty once it was deleted. */
  address: string
  /** Of the file's stored bytes. */
  md5: string
  reason: ReportReason
  text: string
  createdAt: Date
}

export async function insertReport(db: SiteDb, report: FileReport): Promise<void> {
  const { userId = null, createdAt, ...others } = report
  await db
    .insertInto('fileReport')
    .values({ ...others, userId, createdAt: createdAt.toISOString(), keptAt: null })
    .execute()
  requestSync(db)
}

/**
 * Whether the same reporter has an open report of the file, or one of the same bytes. A guest is known by the address alone,
 * so a guest and a user at one address count as the same reporter.
 */
export async function hasReported(
  db: SiteDb,
  { fileId, md5, userId, address }: Pick<FileReport, 'fileId' | 'md5' | 'userId' | 'address'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('fileReport')
    .select('id')
    .where('fileId', '=', fileId)
    .where((eb) => eb.or([eb('keptAt', 'is', null), eb('md5', '=', md5)]))
    .where((eb) =>
      userId === undefined
        ? eb('address', '=', address)
        : eb.or([eb('userId', '=', userId), eb.and([eb('address', '=', address), eb('userId', 'is', null)])]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** When the address has made its latest reports, the newest first. */
export async function latestReportsOf(
  db: SiteDb,
  address: string,
  { since, until, limit }: { since: Date; until: Date; limit: number },
): Promise<Date[]> {
  const rows = await db
    .selectFrom('fileReport')
    .select('createdAt')
    .where('address', '=', address)
    .where('createdAt', '>', since.toISOString())
    .where('createdAt', '<=', until.toISOString())
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ createdAt }) => new Date(createdAt))
}

/** Each open report is of another reporter. */
export async function countOpenReports(db: SiteDb, fileId: string): Promise<number> {
  const row = await db
    .selectFrom('fileReport')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('fileId', '=', fileId)
    .where('keptAt', 'is', null)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Whether the staff has decided that these bytes of the file stay. */
export async function wereBytesKept(db: SiteDb, { id, md5 }: { id: string; md5: string }): Promise<boolean> {
  const row = await db
    .selectFrom('fileReport')
    .select('id')
    .where('fileId', '=', id)
    .where('md5', '=', md5)
    .where('keptAt', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Closes the open reports of files that stay, and remembers which bytes were judged. */
export async function closeReports(db: SiteDb, fileIds: readonly string[], at: Date): Promise<void> {
  await closing(db, at).where('fileId', 'in', fileIds).execute()
}

/** For all files that wait for approval. */
export async function closeReportsOfPending(db: SiteDb, at: Date): Promise<void> {
  const pending = db.selectFrom('file').select('file.id').where('file.isApproved', '=', 0)
  await closing(db, at)
    .where('fileId', 'in', pending.where('file.deletedAt', 'is', null))
    .execute()
}

const closing = (db: SiteDb, at: Date) =>
  db
    .updateTable('fileReport')
    .set((eb) => ({
      keptAt: at.toISOString(),
      // A report goes with its file, so there is always one.
      md5: eb.fn.coalesce(
        eb.selectFrom('file').select('file.md5').whereRef('file.id', '=', 'fileReport.fileId'),
        'fileReport.md5',
      ),
    }))
    .where('keptAt', 'is', null)

/** Opens the reports of a file again that were closed last. */
export async function reopenReports(db: SiteDb, fileId: string): Promise<void> {
  const { keptAt } = await db
    .selectFrom('fileReport')
    .select((eb) => eb.fn.max('keptAt').as('keptAt'))
    .where('fileId', '=', fileId)
    .executeTakeFirstOrThrow()
  if (keptAt === null) return
  await db
    .updateTable('fileReport')
    .set({ keptAt: null })
    .where('fileId', '=', fileId)
    .where('keptAt', '=', keptAt)
    .execute()
}

/** Deletes the addresses of reports up to this time, at most so many. Returns how many. */
export async function forgetAddressesUntil(db: SiteDb, until: Date, limit: number): Promise<number> {
  const old = db
    .selectFrom('fileReport')
    .select('id')
    .where(hasAddress)
    .where('createdAt', '<=', until.toISOString())
    .orderBy('createdAt')
    .limit(limit)
  const { numUpdatedRows } = await db
    .updateTable('fileReport')
    .set({ address: '' })
    .where('id', 'in', old)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** With a constant, because the index holds these rows alone. */
const hasAddress = (eb: ExpressionBuilder<SiteTables, 'fileReport'>) =>
  eb('fileReport.address', '!=', sql.lit(''))

/** A file with open reports. */
export interface ReportCase {
  fileId: string
  reports: number
  firstAt: Date
}

const openReports = (db: SiteDb, now: string) =>
  db
    .selectFrom('fileReport')
    .innerJoin('file', 'file.id', 'fileReport.fileId')
    .where('fileReport.keptAt', 'is', null)
    .where(isLive(now))

/** Files that were reported and not decided on, those that have waited longest first. */
export async function openCases(
  db: SiteDb,
  { now, offset, limit }: { now: Date; offset: number; limit: number },
): Promise<ReportCase[]> {
  const rows = await openReports(db, now.toISOString())
    .select((eb) => [
      'fileReport.fileId',
      eb.fn.countAll<number>().as('reports'),
      eb.fn.min('fileReport.createdAt').as('firstAt'),
    ])
    .groupBy('fileReport.fileId')
    .orderBy('firstAt')
    .orderBy('fileReport.fileId')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(({ firstAt, ...row }) => ({ ...row, firstAt: new Date(firstAt) }))
}

export async function countOpenCases(db: SiteDb, now: Date): Promise<number> {
  const [row] = await caseCount.rows(db, { now: now.toISOString() })
  return row?.count ?? 0
}

const caseCount = prepare((db, { now }: Record<'now', never>) =>
  openReports(db, now).select((eb) => eb.fn.count<number>('fileReport.fileId').distinct().as('count')),
)

/** How often each reason was given in the open reports of a file, the most frequent first. */
export async function reasonsOf(
  db: SiteDb,
  fileId: string,
): Promise<{ reason: ReportReason; count: number }[]> {
  const rows = await db
    .selectFrom('fileReport')
    .select((eb) => ['reason', eb.fn.countAll<number>().as('count')])
    .where('fileId', '=', fileId)
    .where('keptAt', 'is', null)
    .groupBy('reason')
    .orderBy('count', 'desc')
    .orderBy('reason')
    .execute()
  return rows.map(({ reason, count }) => ({ reason: reason as ReportReason, count }))
}

/** What a reporter wrote. */
export interface ReportText {
  text: string
  /** Undefined for a guest, and for a user who is gone. */
  username: string | undefined
  createdAt: Date
}

/** The newest texts of the open reports of a file. */
export async function textsOf(db: SiteDb, fileId: string, limit: number): Promise<ReportText[]> {
  const rows = await db
    .selectFrom('fileReport')
    .leftJoin('user', 'user.id', 'fileReport.userId')
    .select(['fileReport.text', 'fileReport.createdAt', 'user.username'])
    .where('fileReport.fileId', '=', fileId)
    .where('fileReport.keptAt', 'is', null)
    .where('fileReport.text', '!=', '')
    .orderBy('fileReport.createdAt', 'desc')
    .orderBy('fileReport.id')
    .limit(limit)
    .execute()
  return rows.map(({ text, username, createdAt }) => ({
    text,
    username: username ?? undefined,
    createdAt: new Date(createdAt),
  }))
}
