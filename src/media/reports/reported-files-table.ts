import { prepare, type SiteDb } from '../../db/index.ts'
import { isLive } from '../files/files-table.ts'
import type { ReportReason } from './report-rules.ts'

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
