import type pg from 'pg'
import { hedged } from '../../lib/concurrency/promises.ts'
import type { ChangeWindow } from '../store.ts'
import type { PostgresHosts } from './hosts/hosts.ts'

/** What has changed: rows that operators set (tenants, plans, keys), or only the stats of sites. */
export type Change = 'control' | 'stats'

export const controlChannel = 'terrace_control'

/** Notices changes of control rows by other servers. */
interface ControlWatch extends AsyncDisposable {
  /** Resolves when the versions are recent enough to be relied on, and rejects if the database cannot be asked; undefined if they already are. */
  whenCurrent(): Promise<void> | undefined
  /** Of rows that operators set. On a standby every call returns a new number, so that no cache is used. */
  version(): number
  /** Of both kinds. */
  allStatsVersion(): number
  changeWindow(): Promise<ChangeWindow>
  raise(change: Change): void
}

const pollEveryMs = 400
/** A connection can fall silent without breaking: the versions are relied on for this long after an answer. */
const currentForMs = 900
/** If a poll takes longer than this, the connection is given up. */
const silentAfterMs = 2_000
/** If the listening connection has not answered by then, another one is asked too. */
const lateAfterMs = 250
/** Several messages, each of which a slow database answers late. */
const connectMs = 5_000

/**
 * The snapshot stands for the stats, without a version row that all servers would have to write: while it is unchanged, no
 * transaction has ended that could have changed them.
 */
export const poll = `
  select (select "value" from "meta" where "name" = 'version') as "control", txid_current_snapshot()::text as "stats",
    current_setting('transaction_read_only') = 'on' as "isReadOnly"
`

/**
 * Transactions do not commit in the order of their numbers. All below the snapshot's `xmin` have ended, so a later read must
 * begin there; a number of `xmax` or more was written by another server, whose dump was restored here. A standby that takes
 * over gives numbers again that the lost server gave last: it is recognised by the time of its start.
 */
export const changeWindow = `
  select txid_snapshot_xmin(txid_current_snapshot()) as "from", txid_snapshot_xmax(txid_current_snapshot()) as "until",
    pg_postmaster_start_time()::text as "history"
`

export function windowOf(row: ChangeWindow | undefined): ChangeWindow {
  if (!row) throw new Error('PostgreSQL tells its snapshot in one row.')
  // Without the types of the pool these numbers are texts.
  return { ...row, from: Number(row.from), until: Number(row.until) }
}

export type Polled = Record<Change, string> & { isReadOnly: boolean }

interface WatchOptions {
  /** Polls on another connection: the one that listens may be late, or lost. */
  ask: () => Promise<Polled | undefined>
  /** Reads the window on another connection. */
  askWindow: () => Promise<ChangeWindow>
  onFault: (error: Error) => void
  /** Statements whose effect lasts as long as the connection, which is that of the process. */
  atConnect: readonly string[]
  onLost: () => void
}

/** So that PostgreSQL notices within a minute that this machine is gone. */
const keepAlive =
  'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3'

/** Listens for notifications, and polls as a fallback. */
export async function watchControl(
  hosts: PostgresHosts,
  { ask, askWindow, onFault, atConnect, onLost }: WatchOptions,
): Promise<ControlWatch> {
  const versions: Record<Change, number> = { control: 1, stats: 1 }
  let stored: Partial<Record<Change, string>> = {}
  let listener: pg.Client | undefined
  /** The listening connection while it runs a statement: it runs one at a time. */
  let busy: pg.Client | undefined
  /** When the newest poll that was answered had been sent. */
  let polledAt = 0
  let isStandby = false
  let isClosed = false
  let polling: Promise<void> | undefined
  let pollSentAt = 0
  let asking: { sentAt: number; answer: Promise<void> } | undefined

  const raise = (change: Change) => {
    versions[change] += 1
  }

  async function listen(): Promise<void> {
    const client = await hosts.connect({
      application_name: 'terrace-watch',
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      query_timeout: silentAfterMs,
    })
    const lose = (error?: Error) => {
      if (listener === client) {
        listener = undefined
        onLost()
      }
      raise('control')
      if (error && !isClosed) onFault(error)
    }
    client.on('notification', ({ payload }) => raise(payload === 'stats' ? 'stats' : 'control'))
    client.on('error', lose)
    client.on('end', () => lose())
    try {
      for (const statement of [`listen ${controlChannel}`, keepAlive, ...atConnect])
        await client.query(statement)
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
    raise('control')
    listener = client
  }

  function take(polled: Polled | undefined, sentAt: number): void {
    // An older poll may be answered later.
    if (!polled || sentAt < polledAt) return
    isStandby = polled.isReadOnly && hosts.isRoleChecked
    for (const change of ['control', 'stats'] as const) if (polled[change] !== stored[change]) raise(change)
    stored = polled
    polledAt = sentAt
  }

  async function pollOnce(): Promise<void> {
    if (!listener) await listen().catch(giveUp)
    const current = listener
    if (!current) return
    const sentAt = performance.now()
    pollSentAt = sentAt
    if (current === busy) return take(await ask().catch(() => undefined), sentAt)
    const polled = await queryOn<Polled>(current, { text: poll })
    if (polled?.isReadOnly && hosts.isRoleChecked) giveUp(new Error('The server is read-only now.'))
    else take(polled, sentAt)
  }

  /** Undefined if the connection fails, which is then given up. */
  async function queryOn<Row extends pg.QueryResultRow>(
    client: pg.Client,
    query: pg.QueryConfig,
  ): Promise<Row | undefined> {
    busy = client
    try {
      return (await client.query<Row>(query)).rows[0]
    } catch (error) {
      if (client === listener) giveUp(error as Error)
      return undefined
    } finally {
      if (busy === client) busy = undefined
    }
  }

  function giveUp(error: Error): void {
    const lost = listener
    listener = undefined
    onLost()
    // Not awaited: a silent connection does not confirm its end either.
    void lost?.end().catch(() => undefined)
    if (!isClosed) onFault(error)
  }

  /** One poll at a time, shared by all waiting callers, so that a slow database does not get more of them. */
  function pollShared(): Promise<void> {
    polling ??= pollOnce().finally(() => {
      polling = undefined
    })
    return polling
  }

  /** Until a poll that was sent after this time is answered: one wait, shared by all callers of that time. */
  async function polledSince(since: number): Promise<void> {
    if (polling && pollSentAt >= since) await polling
    while (polledAt < since) {
      if (!asking || asking.sentAt < since) asking = askNow()
      await asking.answer
    }
  }

  function askNow(): NonNullable<typeof asking> {
    const sentAt = performance.now()
    const answer = ask().then((polled) => take(polled, sentAt))
    // A caller that reads nothing meanwhile does not wait for it.
    answer.catch(() => undefined)
    return { sentAt, answer }
  }

  await pollShared()
  let timer = setTimeout(tick, pollEveryMs).unref()
  async function tick(): Promise<void> {
    const startedAt = performance.now()
    await pollShared()
    const pauseMs = Math.max(0, pollEveryMs - (performance.now() - startedAt))
    if (!isClosed) timer = setTimeout(tick, listener ? pauseMs : pollEveryMs).unref()
  }

  const version = () => {
    if (isStandby) raise('control')
    return versions.control
  }
  return {
    whenCurrent() {
      const since = performance.now() - currentForMs
      return polledAt >= since ? undefined : polledSince(since)
    },
    version,
    allStatsVersion: () => version() + versions.stats,
    // The window is most of what a kept page costs, and a connection of the pool makes it twice as expensive.
    changeWindow() {
      if (!listener || listener === busy) return askWindow()
      const asked = queryOn<ChangeWindow>(listener, { name: 'terrace-change-window', text: changeWindow })
      return hedged(asked.then(windowOf), askWindow, lateAfterMs)
    },
    raise,
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await listener?.end().catch(() => undefined)
    },
  }
}
