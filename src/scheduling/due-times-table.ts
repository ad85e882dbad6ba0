import { type ExpressionBuilder, sql } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../db/index.ts'
import {
  settingTable,
  statsVersionOf,
  type Totals,
  totalNames,
  totalsOf,
  unpublishedKeysOf,
} from '../site/index.ts'

/** The jobs whose last run is stored, because no other row says when they are due next. `visit`, a stored name, is a run of all jobs of the site. */
export const rememberedJobs = [
  'visit',
  'refresh-stats',
  'prune-rate-limit-log',
  'sweep-orphans',
  'scrub-files',
] as const

export type RememberedJob = (typeof rememberedJobs)[number]

/** Everything that decides when a site's next job is due. */
export interface DueTimes {
  /** When the first file expires. */
  expiresAt: Date | undefined
  /** When the first file of the trash, or the first earlier revision, is to be removed. */
  trashEndsAt: Date | undefined
  /** When the first resumable upload ends, or is to be forgotten. */
  uploadEndsAt: Date | undefined
  /** The oldest removal record. */
  removalAt: Date | undefined
  /** The oldest purge that is not in the control database yet. */
  purgeAt: Date | undefined
  /** When the first session ends. */
  sessionEndsAt: Date | undefined
  /** In the past, if the words of a file, the form of a tag or the texts of an album are missing. */
  textsMissingAt: Date | undefined
  /** In the past, if a file has no placeholder and none was tried to be made. */
  placeholderMissingAt: Date | undefined
  /** The oldest row of the audit log. */
  auditAt: Date | undefined
  /** The oldest day of usage. */
  usageAt: Date | undefined
  /** The oldest report of a file that still has the address of its reporter. */
  reportedAt: Date | undefined
  /** When the oldest file was uploaded. */
  fileAt: Date | undefined
  ranAt: ReadonlyMap<RememberedJob, Date>
}

/** Indexed look-ups, each a column of one query. */
const dueTimeColumns = (eb: ExpressionBuilder<SiteTables, never>) => [
  eb
    .selectFrom('file')
    .select('expiresAt')
    .where('expiresAt', 'is not', null)
    .orderBy('expiresAt')
    .limit(1)
    .as('expiresAt'),
  eb
    .selectFrom('file')
    .select('deletedAt')
    .where('deletedAt', 'is not', null)
    .orderBy('deletedAt')
    .limit(1)
    .as('trashedAt'),
  eb.selectFrom('fileRevision').select('replacedAt').orderBy('replacedAt').limit(1).as('replacedAt'),
  eb.selectFrom('setting').select('value').where('name', '=', 'trash_days').as('trashDays'),
  eb.selectFrom('resumableUpload').select('expiresAt').orderBy('expiresAt').limit(1).as('uploadEndsAt'),
  eb.selectFrom('removal').select('requestedAt').orderBy('requestedAt').limit(1).as('removalAt'),
  eb.selectFrom('purge').select('at').orderBy('at').limit(1).as('purgeAt'),
  eb.selectFrom('session').select('expiresAt').orderBy('expiresAt').limit(1).as('sessionEndsAt'),
  eb.selectFrom('audit').select('at').orderBy('sequence').limit(1).as('auditAt'),
  eb.selectFrom('dayTotal').select('day').orderBy('day').limit(1).as('usageAt'),
  eb
    .selectFrom('fileReport')
    .select('createdAt')
    .where('address', '!=', sql.lit(''))
    .orderBy('createdAt')
    .limit(1)
    .as('reportedAt'),
  eb.selectFrom('file').select('createdAt').orderBy('createdAt').limit(1).as('fileAt'),
  textsMissingAt(eb).as('textsMissingAt'),
  eb
    .selectFrom('file')
    .select('createdAt')
    .where('placeholder', 'is', null)
    .orderBy('id')
    .limit(1)
    .as('placeholderMissingAt'),
  ...rememberedJobs.map((name) => eb.selectFrom('jobRun').select('ranAt').where('name', '=', name).as(name)),
]

/** Constants, because two of the indexes hold these rows alone, as that of reports does. */
const textsMissingAt = (eb: ExpressionBuilder<SiteTables, never>) =>
  eb.fn.coalesce(
    eb
      .selectFrom('file')
      .select('createdAt')
      .where((file) => file('textVersion', '=', file.lit(0)))
      .orderBy('id')
      .limit(1),
    eb.selectFrom('tag').select('createdAt').where('form', '=', '').limit(1),
    eb.selectFrom('album').select('createdAt').where('titleSort', '=', sql.lit('')).limit(1),
  )

const dueTimes = prepare((db) => db.selectNoFrom((eb) => dueTimeColumns(eb)))

export async function readDueTimes(db: SiteDb): Promise<DueTimes> {
  const [row] = await dueTimes.rows(db, {})
  if (!row) throw new Error('A select without tables has one row.')
  return dueTimesOf(row)
}

/** What the control tables store of a site: its totals and due times, and the version that both were read at. */
export interface SiteState {
  version: number
  totals: Totals
  dueTimes: DueTimes
  /** Whether the last rotation of its signing key is in its own rows alone. */
  hasUnpublishedKeys: boolean
}

/** One statement, so that totals and due times are from the same moment. */
const siteState = prepare((db) =>
  db.selectNoFrom((eb) => [
    ...dueTimeColumns(eb),
    ...totalNames.map((name) => eb.selectFrom('total').select('value').where('name', '=', name).as(name)),
    statsVersionOf(eb),
    unpublishedKeysOf(eb),
  ]),
)

export async function readSiteState(db: SiteDb): Promise<SiteState> {
  const [row] = await siteState.rows(db, {})
  if (!row) throw new Error('A select without tables has one row.')
  return {
    version: row.statsVersion ?? 0,
    totals: totalsOf((name) => row[name]),
    dueTimes: dueTimesOf(row),
    hasUnpublishedKeys: row.unpublishedKeys !== null,
  }
}

type DueTimesRow = Record<
  | ('expiresAt' | 'trashedAt' | 'replacedAt' | 'trashDays')
  | (
      | 'uploadEndsAt'
      | 'removalAt'
      | 'purgeAt'
      | 'sessionEndsAt'
      | 'textsMissingAt'
      | 'placeholderMissingAt'
      | 'fileAt'
      | 'auditAt'
      | 'usageAt'
      | 'reportedAt'
    )
  | RememberedJob,
  string | null
>

function dueTimesOf(row: DueTimesRow): DueTimes {
  return {
    expiresAt: timeOf(row.expiresAt),
    trashEndsAt: trashEndOf(row),
    uploadEndsAt: timeOf(row.uploadEndsAt),
    removalAt: timeOf(row.removalAt),
    purgeAt: timeOf(row.purgeAt),
    sessionEndsAt: timeOf(row.sessionEndsAt),
    textsMissingAt: timeOf(row.textsMissingAt),
    placeholderMissingAt: timeOf(row.placeholderMissingAt),
    auditAt: timeOf(row.auditAt),
    usageAt: timeOf(row.usageAt),
    reportedAt: timeOf(row.reportedAt),
    fileAt: timeOf(row.fileAt),
    ranAt: new Map(
      rememberedJobs.flatMap((name) => {
        const ranAt = timeOf(row[name])
        return ranAt ? [[name, ranAt] as const] : []
      }),
    ),
  }
}

const dayMs = 24 * 60 * 60_000
/** Beyond it a time is no Date. */
const latestMs = 8.64e15

function trashEndOf({ trashedAt, replacedAt, trashDays }: DueTimesRow): Date | undefined {
  const first = [trashedAt, replacedAt].filter((at) => at !== null).sort()[0]
  if (first === undefined) return undefined
  const days = Number(trashDays ?? settingTable.trash_days.default)
  return new Date(Math.min(new Date(first).getTime() + days * dayMs, latestMs))
}

export async function hasFiles(db: SiteDb): Promise<boolean> {
  return (await db.selectFrom('file').select('id').limit(1).executeTakeFirst()) !== undefined
}

const timeOf = (text: string | null) => (text === null ? undefined : new Date(text))
