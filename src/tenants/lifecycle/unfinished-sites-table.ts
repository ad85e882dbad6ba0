import type { ControlDb } from '../../db/index.ts'

/** No tenant can have this id, and backups leave such sites out as they leave those of an unfinished restore. */
const unfinishedKey = (idKey: string) => `restoring archive ${idKey}`
const startName = (site: number) => `import ${site}`

/** A new site that is being filled. Its start is in `meta`, so that one whose process was killed is found. */
export async function insertUnfinishedSite(
  db: ControlDb,
  { idKey, stats, now }: { idKey: string; stats: string; now: Date },
): Promise<number> {
  const { number } = await db
    .insertInto('site')
    .values({ idKey: unfinishedKey(idKey), state: 'kept', installedAt: null, stats })
    .returning('number')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('meta')
    .values({ name: startName(number), value: now.toISOString() })
    .execute()
  return number
}

/** Gives up what earlier imports and creations of this id have filled; returns their sites, to be dropped. */
export async function dropUnfinishedSites(db: ControlDb, idKey: string): Promise<number[]> {
  const rows = await db
    .updateTable('site')
    .set({ state: 'dropping' })
    .where('idKey', '=', unfinishedKey(idKey))
    .where('state', '=', 'kept')
    .returning('number')
    .execute()
  return rows.map(({ number }) => number)
}

/** Unfinished sites that were begun before a time. */
export async function unfinishedSitesBefore(db: ControlDb, before: Date): Promise<number[]> {
  const sites = await db
    .selectFrom('site')
    .select('number')
    .where('idKey', 'like', `${unfinishedKey('')}%`)
    .where('state', '=', 'kept')
    .execute()
  if (sites.length === 0) return []
  const starts = await db
    .selectFrom('meta')
    .select(['name', 'value'])
    .where(
      'name',
      'in',
      sites.map(({ number }) => startName(number)),
    )
    .execute()
  const old = new Set(starts.filter(({ value }) => value < before.toISOString()).map(({ name }) => name))
  return sites.map(({ number }) => number).filter((number) => old.has(startName(number)))
}

export async function isUnfinishedSite(db: ControlDb, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('site')
    .select('number')
    .where('number', '=', number)
    .where('state', '=', 'kept')
    .where('idKey', 'like', `${unfinishedKey('')}%`)
    .executeTakeFirst()
  return row !== undefined
}

/** Marks an unfinished site as dropping; false if it is finished, or dropped by another process. */
export async function giveUpUnfinishedSite(db: ControlDb, number: number): Promise<boolean> {
  if (!(await isUnfinishedSite(db, number))) return false
  await db.updateTable('site').set({ state: 'dropping' }).where('number', '=', number).execute()
  return true
}

/** Makes the site that of a tenant. */
export async function finishUnfinishedSite(
  db: ControlDb,
  number: number,
  site: { idKey: string; installedAt: string; stats: string; admins?: string },
): Promise<void> {
  await db
    .updateTable('site')
    .set({ ...site, state: 'live' })
    .where('number', '=', number)
    .execute()
  await deleteStart(db, number)
}

export async function deleteStart(db: ControlDb, number: number): Promise<void> {
  await db.deleteFrom('meta').where('name', '=', startName(number)).execute()
}

/** A site that an earlier tenant with this id has left. */
export async function hasKeptSite(db: ControlDb, idKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('site')
    .select('number')
    .where('idKey', '=', idKey)
    .where('state', '<>', 'dropping')
    .executeTakeFirst()
  return row !== undefined
}

/** Marks the site that an earlier tenant with this id has left without tables as dropping; undefined if there is none. */
export async function dropEmptyKeptSite(db: ControlDb, idKey: string): Promise<number | undefined> {
  const row = await db
    .updateTable('site')
    .set({ state: 'dropping' })
    .where('idKey', '=', idKey)
    .where('state', '=', 'kept')
    .where('installedAt', 'is', null)
    .returning('number')
    .executeTakeFirst()
  return row?.number
}
