import { isInFile, prepare, type SiteDb } from '../db/index.ts'

/** What a site has, kept by the transactions that change it. `cronTime` is in seconds, `storageUsed` in bytes. */
export const totalNames = [
  'tags',
  'files',
  'pages',
  'users',
  'admins',
  'albums',
  'managers',
  'storages',
  'cronTime',
  'categories',
  'fileLikes',
  'fileViews',
  'albumLikes',
  'albumViews',
  'storageUsed',
  'loginProviders',
] as const

export type TotalName = (typeof totalNames)[number]
export type Totals = Record<TotalName, number>

export const noTotals: Totals = Object.freeze(
  Object.fromEntries(totalNames.map((name) => [name, 0])) as Record<TotalName, number>,
)

const insertion = prepare((db) =>
  db.insertInto('total').values(totalNames.map((name) => ({ name, value: 0 }))),
)

export async function insertTotals(db: SiteDb): Promise<void> {
  await insertion.changes(db, {})
}

const everyTotal = prepare((db) => db.selectFrom('total').select(['name', 'value']))

export async function allTotals(db: SiteDb): Promise<Totals> {
  const rows = await everyTotal.rows(db, {})
  return { ...noTotals, ...Object.fromEntries(rows.map(({ name, value }) => [name, value])) }
}

/** Adds to a total unless it would pass the limit; the answer says whether it did. Part of the caller's transaction. */
export async function addToTotal(db: SiteDb, name: TotalName, by: number, limit?: number): Promise<boolean> {
  const changes =
    limit === undefined
      ? await addition.changes(db, { name, by })
      : await additionUpTo.changes(db, { name, by, limit })
  return changes > 0
}

const addition = prepare((db, { name, by }: Record<'name' | 'by', never>) =>
  db
    .updateTable('total')
    .set((row) => ({ value: row('value', '+', by) }))
    .where('name', '=', name),
)

const additionUpTo = prepare((db, { name, by, limit }: Record<'name' | 'by' | 'limit', never>) =>
  db
    .updateTable('total')
    .set((row) => ({ value: row('value', '+', by) }))
    .where('name', '=', name)
    .where((row) => row(row('value', '+', by), '<=', limit)),
)

export async function updateTotal(db: SiteDb, name: TotalName, value: number): Promise<void> {
  await db.updateTable('total').set({ value }).where('name', '=', name).execute()
}

/** From here to the end of the transaction nobody else changes this total, nor does what waits here too. */
export async function lockTotal(db: SiteDb, name: TotalName): Promise<void> {
  // In a file, the first statement of a transaction takes all of it. Elsewhere, adding nothing takes the row's lock.
  if (!isInFile(db)) await addToTotal(db, name, 0)
}

/** From here to the end of the transaction nobody else counts. */
export async function lockTotals(db: SiteDb): Promise<void> {
  // First the one that most others wait for: who takes these locks in another order would wait for us, and we for them.
  await lockTotal(db, 'files')
  await db
    .updateTable('total')
    .set((row) => ({ value: row.ref('value') }))
    .execute()
}
