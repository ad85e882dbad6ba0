import { prepare, type SiteDb } from '../db/index.ts'

/** The jobs whose last run is remembered, because nothing in the rows tells when they are due next. */
export const rememberedJobs = [
  'visit',
  'refresh-stats',
  'prune-marks',
  'sweep-orphans',
  'scrub-files',
] as const

export type RememberedJob = (typeof rememberedJobs)[number]

/** All that decides when a site has something to do. */
export interface Landmarks {
  /** The first file whose time ends. */
  expiresAt: Date | undefined
  /** The first note of bytes that are to go. */
  removalAt: Date | undefined
  /** The first session that ends. */
  sessionEndsAt: Date | undefined
  /** The oldest file. */
  fileAt: Date | undefined
  ranAt: ReadonlyMap<RememberedJob, Date>
}

/** One question of indexed look-ups: it is asked after every change. */
const landmarks = prepare((db) =>
  db.selectNoFrom((eb) => [
    eb
      .selectFrom('file')
      .select('expiresAt')
      .where('expiresAt', 'is not', null)
      .orderBy('expiresAt')
      .limit(1)
      .as('expiresAt'),
    eb.selectFrom('removal').select('requestedAt').orderBy('requestedAt').limit(1).as('removalAt'),
    eb.selectFrom('session').select('expiresAt').orderBy('expiresAt').limit(1).as('sessionEndsAt'),
    eb.selectFrom('file').select('createdAt').orderBy('createdAt').limit(1).as('fileAt'),
    ...rememberedJobs.map((name) =>
      eb.selectFrom('jobRun').select('ranAt').where('name', '=', name).as(name),
    ),
  ]),
)

export async function readLandmarks(db: SiteDb): Promise<Landmarks> {
  const [row] = await landmarks.rows(db, {})
  if (!row) throw new Error('A select without tables has one row.')
  return {
    expiresAt: timeOf(row.expiresAt),
    removalAt: timeOf(row.removalAt),
    sessionEndsAt: timeOf(row.sessionEndsAt),
    fileAt: timeOf(row.fileAt),
    ranAt: new Map(
      rememberedJobs.flatMap((name) => {
        const ranAt = timeOf(row[name])
        return ranAt ? [[name, ranAt] as const] : []
      }),
    ),
  }
}

export async function hasFiles(db: SiteDb): Promise<boolean> {
  return (await db.selectFrom('file').select('id').limit(1).executeTakeFirst()) !== undefined
}

const timeOf = (text: string | null) => (text === null ? undefined : new Date(text))
