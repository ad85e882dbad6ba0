import pg from 'pg'
import { Mutex } from '../lib/mutex.ts'
import { storeBusy, storeFault } from './faults.ts'
import { controlMigrations } from './migrations/control.ts'
import { migratePostgres } from './migrations/postgres-migrator.ts'
import { siteMigrations } from './migrations/site.ts'
import { kyselyOfPool, lockPatienceMs, openPool } from './postgres-connection.ts'
import { watchControl } from './postgres-watch.ts'
import { guardSite } from './site-guard.ts'
import { siteScope } from './site-scope.ts'
import type { Store } from './store.ts'
import { type ControlDb, type ControlTables, type SiteDb, type SiteTables, siteTableNames } from './tables.ts'
import { inTransaction } from './transaction.ts'

/** The same tables for all sites, `site` leading every key, on a PostgreSQL server that any number of us share. */
export async function openPostgresStore(url: string, onFault: (error: Error) => void): Promise<Store> {
  await migrate(url)
  // Two pools: whoever holds a control row while a site's rows are written must never wait for itself.
  const controlPool = openPool(url, onFault)
  const sitePool = openPool(url, onFault)
  const control = kyselyOfPool<ControlTables>(controlPool)
  const watch = await watchControl(url, onFault)
  const turn = turnsOf(new Mutex())
  const dbOf = (site: number): SiteDb =>
    kyselyOfPool<SiteTables>(sitePool, (query) => guardSite(query, site)).withPlugin(siteScope(site))

  return {
    kind: 'postgres',
    control,
    controlVersion: watch.version,
    async changeControl(change) {
      const { endTurn, patienceMs } = await turn()
      try {
        return await inTransaction(control, async (transaction) => {
          if (patienceMs < lockPatienceMs / 2) await shortenPatience(transaction, patienceMs)
          return changed(transaction, change)
        })
      } finally {
        endTurn()
        watch.raise()
      }
    },
    async draftSite(site, fill) {
      const place = () =>
        inTransaction(dbOf(site), async (db) => {
          await deleteRows(db)
          await fill(db)
        })
      return { place, discard: async () => undefined }
    },
    openSite: async (site) => ({ db: dbOf(site), close: async () => undefined }),
    dropSite: (site) => inTransaction(dbOf(site), deleteRows),
    migrateSite: () => migrate(url),
    async check() {
      await control.selectFrom('meta').select('value').where('name', '=', 'version').execute()
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await Promise.all([controlPool.end(), sitePool.end()])
    },
  }
}

/** One of us at a time asks for the control lock: the others would wait with all connections, and readers with them. */
function turnsOf(turns: Mutex) {
  return async () => {
    const askedAt = performance.now()
    const endTurn = await turns.acquire()
    const patienceMs = Math.floor(lockPatienceMs - (performance.now() - askedAt))
    if (patienceMs > 0) return { endTurn, patienceMs }
    endTurn()
    throw storeBusy(new Error('The turn to change control rows did not come in time.'))
  }
}

async function shortenPatience(db: ControlDb, patienceMs: number): Promise<void> {
  await db
    .selectNoFrom((eb) => eb.fn('set_config', ['lock_timeout', `${patienceMs}`, true].map(eb.val)).as('set'))
    .execute()
}

async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'terrace-migrate' })
  // Without a listener a connection that breaks would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await migratePostgres(client, [...controlMigrations, ...siteMigrations])
  } catch (error) {
    throw storeFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The version row is the lock of all control changes, so that what is read in one stays true until its end. */
async function changed<T>(control: ControlDb, change: (control: ControlDb) => Promise<T>): Promise<T> {
  const row = control.selectFrom('meta').select('value').where('name', '=', 'version').forUpdate()
  const { value } = await row.executeTakeFirstOrThrow()
  await control
    .updateTable('meta')
    .set({ value: String(Number(value) + 1) })
    .where('name', '=', 'version')
    .execute()
  const result = await change(control)
  await control
    .selectNoFrom((eb) => eb.fn('pg_notify', [eb.val('terrace_control'), eb.val('')]).as('sent'))
    .execute()
  return result
}

async function deleteRows(db: SiteDb): Promise<void> {
  for (const table of siteTableNames.toReversed()) await db.deleteFrom(table).execute()
}
