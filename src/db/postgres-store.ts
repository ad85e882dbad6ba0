import { Mutex } from '../lib/mutex.ts'
import { storeBusy } from './faults.ts'
import { controlMigrations } from './migrations/control.ts'
import { siteMigrations } from './migrations/site.ts'
import { kyselyOfPool, lockPatienceMs, openPool } from './postgres-connection.ts'
import { preparePostgres, refuseOthersSites } from './postgres-mark.ts'
import { postgresSites } from './postgres-sites.ts'
import { controlChannel, type Matter, watchControl } from './postgres-watch.ts'
import type { Store } from './store.ts'
import type { ControlDb, ControlTables } from './tables.ts'
import { inTransaction } from './transaction.ts'
import { raiseTold, raiseVersion } from './version.ts'

/** The same tables for all sites, `site` leading every key, on a PostgreSQL server that any number of us share. */
export async function openPostgresStore(url: string, onFault: (error: Error) => void): Promise<Store> {
  await preparePostgres(url, { steps: [...controlMigrations, ...siteMigrations], check: refuseOthersSites })
  // Two pools: whoever holds a control row while a site's rows are written must never wait for itself.
  const controlPool = openPool(url, onFault)
  const sites = postgresSites(url, { onFault })
  const control = kyselyOfPool<ControlTables>(controlPool)
  const watch = await watchControl(url, onFault)
  const turn = turnsOf(new Mutex())

  async function inControl<T>(matter: Matter, change: (control: ControlDb) => Promise<T>): Promise<T> {
    const { endTurn, patienceMs } = await turn()
    try {
      return await inTransaction(control, async (transaction) => {
        if (patienceMs < lockPatienceMs / 2) await shortenPatience(transaction, patienceMs)
        return changed(transaction, matter, change)
      })
    } finally {
      endTurn()
      watch.raise(matter)
    }
  }

  return {
    ...sites,
    control,
    controlVersion: watch.version,
    toldVersion: watch.toldVersion,
    changeControl: (change) => inControl('set', change),
    tellControl: (change) => inControl('told', change),
    async check() {
      await control.selectFrom('meta').select('value').where('name', '=', 'version').execute()
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await Promise.all([controlPool.end(), sites[Symbol.asyncDispose]()])
    },
  }
}

const raiseOf: Record<Matter, (control: ControlDb) => Promise<void>> = { set: raiseVersion, told: raiseTold }

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

/** What is read in a change stays true until its end, and everybody hears of it. */
async function changed<T>(
  control: ControlDb,
  matter: Matter,
  change: (control: ControlDb) => Promise<T>,
): Promise<T> {
  await raiseOf[matter](control)
  const result = await change(control)
  await control
    .selectNoFrom((eb) => eb.fn('pg_notify', [controlChannel, matter].map(eb.val)).as('sent'))
    .execute()
  return result
}
