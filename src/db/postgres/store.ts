import { coalesce } from '../../lib/concurrency/coalesce.ts'
import { MovingQueue } from '../../lib/concurrency/moving-queue.ts'
import type { ControlTables } from '../control-tables.ts'
import { storeBusy } from '../faults.ts'
import { controlMigrations } from '../migrations/control.ts'
import { siteMigrations } from '../migrations/site.ts'
import { writeSiteStats } from '../sites/stats-updates.ts'
import type { ChangeWindow, Store } from '../store.ts'
import type { ControlDb } from '../tables.ts'
import { inTransaction } from '../transaction.ts'
import { raiseVersion } from '../version.ts'
import { openChangeRecords } from './change-records.ts'
import { preparePostgres, refuseOthersSites } from './claim.ts'
import { kyselyOfPool, lockTimeoutMs, openPool, type Pooler } from './connection.ts'
import type { PostgresAddress } from './hosts/address.ts'
import type { PostgresHosts } from './hosts/hosts.ts'
import { keepsStatements, poolShortage, refuseOtherDatabase } from './pooler.ts'
import { postgresSites } from './sites.ts'
import {
  type Change,
  changeWindow,
  controlChannel,
  type Polled,
  poll,
  watchControl,
  windowOf,
} from './watch.ts'

/** All rows on one PostgreSQL server, which any number of processes share. */
export async function openPostgresStore(
  address: PostgresAddress,
  onFault: (error: Error) => void,
): Promise<Store> {
  await refuseOtherDatabase(address)
  await preparePostgres(address.sessionHosts, {
    steps: [...controlMigrations, ...siteMigrations],
    check: refuseOthersSites,
  })
  // Separate pools avoid a self-deadlock: a transaction that holds the control lock also writes site rows.
  const pooler = address.sessionHosts === address.hosts ? undefined : await poolerAt(address.hosts)
  const controlPool = openPool(address.hosts, { onFault })
  const { pool: sitePool, ...sites } = postgresSites(address, { onFault, pooler })
  const control = kyselyOfPool<ControlTables>(controlPool, { pooler })
  const changeRecords = openChangeRecords(control)
  const watch = await watchControl(address.sessionHosts, {
    ask: async () => (await controlPool.query<Polled>(poll)).rows[0],
    askWindow: async () => windowOf((await controlPool.query<ChangeWindow>(changeWindow)).rows[0]),
    onFault,
    atConnect: [changeRecords.lockStatement],
    onLost: changeRecords.forgetWritten,
  })
  const turns = controlTurns()

  async function changeControl<T>(change: (control: ControlDb) => Promise<T>): Promise<T> {
    const turn = await turns.acquire()
    try {
      return await inTransaction(control, async (transaction) => {
        const leftMs = Math.max(1, Math.floor(turn.leftMs()))
        if (leftMs < lockTimeoutMs / 2) await shortenLockTimeout(transaction, leftMs)
        // The lock comes first, so that rows read by the change cannot be changed by another before its end.
        await raiseVersion(transaction)
        turn.moved()
        const result = await change(transaction)
        await notify(transaction, 'control')
        return result
      })
    } finally {
      turn.release()
      watch.raise('control')
    }
  }

  /** One notification for several changes, outside their transactions: PostgreSQL serialises commits that notify. */
  const announce = coalesce(() => notify(control, 'stats'))

  async function announced<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } finally {
      watch.raise('stats')
      // Without the notification other servers find the change by polling.
      await announce(undefined).catch(() => undefined)
    }
  }

  return {
    ...sites,
    control,
    changeRecords,
    whenCurrent: watch.whenCurrent,
    controlVersion: watch.version,
    allStatsVersion: watch.allStatsVersion,
    changeWindow: watch.changeWindow,
    changeControl,
    changeControlUnlocked: (change) => announced(inTransaction(control, change)),
    writeSiteStats: (report) => announced(writeSiteStats(control, report)),
    connectionWarning: () =>
      poolShortage([controlPool, sitePool], address.sessionHosts === address.hosts ? 1 : 0),
    async check() {
      await control.selectFrom('meta').select('value').where('name', '=', 'version').execute()
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await Promise.all([controlPool.end(), sites[Symbol.asyncDispose]()])
    },
  }
}

const poolerAt = async (hosts: PostgresHosts): Promise<Pooler> => ({
  keepsStatements: await keepsStatements(hosts),
})

/** One transaction of this process at a time waits for the control lock: more would occupy all connections of the pool, and block reads. */
const controlTurns = () =>
  new MovingQueue({
    slots: 1,
    mostWaiting: 1_000,
    stalledAfterMs: lockTimeoutMs,
    refusal: (reason) => storeBusy(new Error(`No turn to change control rows. ${reason}`)),
  })

async function shortenLockTimeout(db: ControlDb, leftMs: number): Promise<void> {
  await db
    .selectNoFrom((eb) => eb.fn('set_config', ['lock_timeout', `${leftMs}`, true].map(eb.val)).as('set'))
    .execute()
}

async function notify(control: ControlDb, change: Change): Promise<void> {
  await control
    .selectNoFrom((eb) => eb.fn('pg_notify', [controlChannel, change].map(eb.val)).as('sent'))
    .execute()
}
