import type { ExpressionBuilder } from 'kysely'
import { isSqlite, prepare, requestSync, type SiteDb, type SiteTables } from '../db/index.ts'
import { markQuotaUse } from './quotas/quota-names.ts'

/** Counters of a site, updated by the transactions that change it. `cronTime` is in seconds, `storageUsed` and `derivedBytes` in bytes. */
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
  'derivedBytes',
  'loginProviders',
] as const

export type TotalName = (typeof totalNames)[number]
export type Totals = Record<TotalName, number>

export const noTotals: Totals = Object.freeze(
  Object.fromEntries(totalNames.map((name) => [name, 0])) as Record<TotalName, number>,
)

/** A row beside the totals, which increases with every transaction that changes one of them. */
const versionName = 'statsVersion'

const insertion = prepare((db) =>
  db.insertInto('total').values([...totalNames, versionName].map((name) => ({ name, value: 0 }))),
)

export async function insertTotals(db: SiteDb): Promise<void> {
  await insertion.changes(db, {})
}

const everyTotal = prepare((db) => db.selectFrom('total').select(['name', 'value']))

export async function allTotals(db: SiteDb): Promise<Totals> {
  const totals: Record<string, number> = { ...noTotals }
  for (const { name, value } of await everyTotal.rows(db, {}))
    if (Object.hasOwn(noTotals, name)) totals[name] = value
  return totals as Totals
}

export const totalsOf = (read: (name: TotalName) => number | null | undefined): Totals =>
  Object.fromEntries(totalNames.map((name) => [name, read(name) ?? 0])) as Totals

const versions = prepare((db) => db.selectFrom('total').select('value').where('name', '=', versionName))

export async function findStatsVersion(db: SiteDb): Promise<number> {
  const [row] = await versions.rows(db, {})
  return row?.value ?? 0
}

/** The version as a column of a larger query. */
export const statsVersionOf = (eb: ExpressionBuilder<SiteTables, never>) =>
  eb.selectFrom('total').select('value').where('name', '=', versionName).as(versionName)

/** For a site that was restored from older rows: raises its version to the one that the control tables have. */
export async function raiseStatsVersionTo(db: SiteDb, version: number): Promise<void> {
  await db
    .insertInto('total')
    .values({ name: versionName, value: version })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value: version }).where('total.value', '<', version),
    )
    .execute()
}

/** Sites of earlier releases have no version row until their first change. */
const raising = prepare((db) =>
  db
    .insertInto('total')
    .values({ name: versionName, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row('total.value', '+', 1) })),
    ),
)

const raisedIn = new WeakSet<SiteDb>()

/**
 * The first statement on totals in every transaction. It locks the version's row until the end, so that transactions cannot
 * deadlock on single totals, and a report of a higher version includes every change of a lower one.
 */
export async function raiseStatsVersion(db: SiteDb): Promise<void> {
  if (raisedIn.has(db)) return
  await raising.later(db, {})
  if (db.isTransaction) raisedIn.add(db)
}

/** Adds to a total in the caller's transaction; false if it would exceed the limit. */
export async function addToTotal(db: SiteDb, name: TotalName, by: number, limit?: number): Promise<boolean> {
  await raiseStatsVersion(db)
  const changes =
    limit === undefined
      ? await addition.changes(db, { name, by })
      : await additionUpTo.changes(db, { name, by, limit })
  if (changes > 0 && by !== 0) requestSync(db)
  if (name === 'storageUsed') markQuotaUse(db, 'SERVICE_MAX_STORAGE')
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
  await raiseStatsVersion(db)
  // Rows of an earlier version may lack a total.
  await db
    .insertInto('total')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
  if (name === 'storageUsed') markQuotaUse(db, 'SERVICE_MAX_STORAGE')
  requestSync(db)
}

/** Locks the total until the transaction ends; serialises all callers for the same total. */
export async function lockTotal(db: SiteDb, name: TotalName): Promise<void> {
  // On SQLite the first statement of the transaction has locked the whole file. On PostgreSQL adding 0 locks the row.
  if (isSqlite(db)) return
  if (raisedIn.has(db)) await addition.changes(db, { name, by: 0 })
  else await lockWithVersion(db, name)
}

const locking = prepare((db, { name }: Record<'name', never>) =>
  db
    .insertInto('total')
    .values([
      { name: versionName, value: 1 },
      { name, value: 0 },
    ])
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((row) => ({ value: row('total.value', '+', row.ref('excluded.value')) })),
    ),
)

/** Both locks in one statement, the version's first. */
async function lockWithVersion(db: SiteDb, name: TotalName): Promise<void> {
  await locking.changes(db, { name })
  if (db.isTransaction) raisedIn.add(db)
}

/** Locks all totals until the transaction ends. */
export async function lockTotals(db: SiteDb): Promise<void> {
  await raiseStatsVersion(db)
  // The order in which servers of earlier releases lock.
  await lockTotal(db, 'files')
  await db
    .updateTable('total')
    .set((row) => ({ value: row.ref('value') }))
    .execute()
}
