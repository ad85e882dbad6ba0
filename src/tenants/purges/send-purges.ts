import type { Control } from '../../control/index.ts'
import { withTimeout } from '../../lib/concurrency/promises.ts'
import { inParallel, startRepeating } from '../../lib/concurrency/repeat.ts'
import type { Attempt } from '../../lib/net/send-message.ts'
import type { WebhookMessage } from '../../lib/net/standard-webhooks.ts'
import type { PurgeQueue } from '../../site/index.ts'
import { siteSilent } from '../errors.ts'
import {
  countPurges,
  deletePurge,
  type PurgeRow,
  takePurge,
  updateAllDue,
  updatePurge,
} from './purges-table.ts'
import { relayPurges } from './relay-purges.ts'

interface Sending {
  queue: PurgeQueue
  /** One attempt. */
  send: (message: WebhookMessage, signal: AbortSignal) => Promise<Attempt>
  log: PurgeLog
}

interface PurgeLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Without the slash at its end. */
export type BaseOf = (hostname: string) => Promise<string>

export interface PurgeSender extends AsyncDisposable {
  /** Sends what is due; without it purges are left to the servers. */
  start(baseOf: BaseOf): AsyncDisposable
  /** What this server has done since it started. */
  readonly done: Readonly<Record<PurgeResult, number>>
  /** How many wait, in the whole installation. */
  waiting(): Promise<number>
}

type PurgeResult = 'sent' | 'failed' | 'given_up'

/** A receiver that is slow or down takes so many connections, and nothing else. */
const mostAtOnce = 4
const maxParallelSites = 8
const patienceMs = 5_000
const roundMs = 1_000
/** A site whose database is down is asked again by the next rounds, and later by its jobs. */
const mostRelays = 30
/** Longer than an attempt takes: then another server tries it. */
const leaseMs = 60_000
const shutdownMs = 3_000

/** After the attempts in turn; the last wait is repeated. */
const waitsMs = [5_000, 30_000, 120_000, 600_000, 3_600_000]
/** From the first attempt. */
const givenUpMs = 24 * 3_600_000

export function openPurgeSender(control: Control, { queue, send, log }: Sending): PurgeSender {
  const done = { sent: 0, failed: 0, given_up: 0 }
  const relaysOf = new Map<number, number>()
  const db = control.store.control
  let pump: () => void = () => undefined

  async function relay(): Promise<void> {
    await inParallel(maxParallelSites, queue.takeAll(), async (site) => {
      try {
        await withTimeout(patienceMs, relayPurges(control, site), siteSilent)
        relaysOf.delete(site)
      } catch (fault) {
        const tried = (relaysOf.get(site) ?? 0) + 1
        if (tried === 1) log.warn({ site, fault: String(fault) }, 'Purges of a site cannot be read')
        relaysOf.set(site, tried)
        failed.add(site)
      }
    })
    pump()
  }

  /** Sites that are tried again in the next round. */
  const failed = new Set<number>()
  let relaying: Promise<void> = Promise.resolve()
  let isQueued = false
  const relaySoon = () => {
    if (isQueued) return
    isQueued = true
    relaying = relaying.then(() => {
      isQueued = false
      return relay()
    })
  }
  queue.onAdded(relaySoon)

  const rounds = startRepeating(roundMs, async () => {
    const again = [...failed].filter((site) => (relaysOf.get(site) ?? 0) < mostRelays)
    for (const site of failed) if (!again.includes(site)) relaysOf.delete(site)
    failed.clear()
    for (const site of again) queue.add(site)
    await relaying
    pump()
  })

  function start(baseOf: BaseOf): AsyncDisposable {
    const stop = new AbortController()
    const running = new Map<Promise<void>, string>()
    let isTaking = false
    let isFailing = false
    let isDue = false

    async function sendOne(row: PurgeRow): Promise<void> {
      const attempt = await send(await messageOf(row, baseOf), stop.signal)
      if (stop.signal.aborted && !attempt.isSuccess) {
        // It was cut off by the stop of this server: the next one tries at once.
        await updatePurge(db, row, { nextAt: control.clock.now().toISOString(), fault: row.fault })
        return
      }
      if (attempt.isSuccess) {
        done.sent += 1
        if (isFailing) log.info({}, 'Purges are sent again')
        isFailing = false
        return deletePurge(db, row.id)
      }
      done.failed += 1
      const details = { purge: row.id, tenant: row.tenantId, attempts: row.attempts, reason: attempt.reason }
      if (!isFailing) log.warn(details, 'A purge failed and is sent again later')
      isFailing = true
      const nextAt = nextAttemptAt(row, control.clock.now())
      if (nextAt) return updatePurge(db, row, { nextAt: nextAt.toISOString(), fault: attempt.reason })
      done.given_up += 1
      log.error(details, 'A purge was given up: caches may still have these files')
      await deletePurge(db, row.id)
    }

    let isAway = false
    const onTaken = () => {
      isAway = false
    }
    const onNotTaken = (fault: unknown) => {
      if (!isAway) log.warn({ fault: String(fault) }, 'Purges that are due cannot be read')
      isAway = true
    }

    async function take(): Promise<void> {
      while (running.size < mostAtOnce && !stop.signal.aborted) {
        const now = control.clock.now()
        const until = new Date(now.getTime() + leaseMs)
        const row = await takePurge(db, { now, until, busy: [...new Set(running.values())] })
        if (!row) return
        const sent = sendOne(row)
          .catch((fault) =>
            log.warn({ purge: row.id, fault: String(fault) }, 'A purge could not be recorded'),
          )
          .finally(() => {
            running.delete(sent)
            pump()
          })
        running.set(sent, row.tenantId)
      }
    }

    pump = () => {
      isDue = true
      if (isTaking || stop.signal.aborted) return
      isTaking = true
      void (async () => {
        while (isDue) {
          isDue = false
          // The next round tries again.
          await take().then(onTaken, onNotTaken)
        }
        isTaking = false
      })()
    }

    const begun = updateAllDue(db, control.clock.now()).catch(() => undefined)
    void begun.then(() => pump())
    return {
      async [Symbol.asyncDispose]() {
        stop.abort()
        pump = () => undefined
        await begun
        await Promise.all(running.keys())
      },
    }
  }

  return {
    start,
    done,
    waiting: () => countPurges(db),
    async [Symbol.asyncDispose]() {
      await withTimeout(shutdownMs, rounds.stop(), siteSilent).catch(() => undefined)
    },
  }
}

function nextAttemptAt({ attempts, triedAt }: PurgeRow, now: Date): Date | undefined {
  const waitMs = waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0
  const next = new Date(now.getTime() + waitMs)
  const firstMs = triedAt === null ? now.getTime() : Date.parse(triedAt)
  return next.getTime() - firstMs > givenUpMs ? undefined : next
}

async function messageOf(row: PurgeRow, baseOf: BaseOf): Promise<WebhookMessage> {
  const { id, at: timestamp, tenantId: tenant, hostname } = row
  const base = await baseOf(hostname)
  const urls = (JSON.parse(row.paths) as string[]).map((path) => base + path)
  const tags = (JSON.parse(row.fileIds) as string[]).map((fileId) => `f-${fileId}`)
  return { id, body: JSON.stringify({ type: 'purge', timestamp, tenant, hostname, urls, tags }) }
}
