import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type SiteDb } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import type { Site } from '../site/index.ts'
import { idempotencyMismatch, stillRunning } from './errors.ts'
import {
  deleteRequest,
  deleteRequestsUntil,
  findRequest,
  insertRequest,
  type RequestKey,
  updateAnswer,
  updateLease,
} from './idempotency-keys-table.ts'

const keptMs = 24 * 3_600_000
/** A run renews its lease while it works; the request of a killed server is taken over after this time. */
const leaseMs = 15_000
const renewalMs = 5_000
const patienceMs = 10_000
const pauseMs = 100

/** One run of a request's work. Only the run that holds the request's lease can store an answer. */
export interface RequestRun extends AsyncDisposable {
  /** Stores the answer in the transaction of the effect: both are there, or neither. */
  complete(db: SiteDb, answer: string): Promise<void>
}

export interface RequestOfCaller extends RequestKey {
  /** Differs for requests that differ. */
  requestHash: string
}

export type StartedRequest = { answer: string } | { run: RequestRun }

/**
 * Starts a request's run, or returns the answer that an equal request got. While an equal request runs, waits for its answer for
 * up to 10 seconds.
 */
export async function startRequest(site: Site, request: RequestOfCaller): Promise<StartedRequest> {
  for (const until = performance.now() + patienceMs; ; await sleep(pauseMs)) {
    const started = (await isHeld(site, request)) ? undefined : await tryStart(site, request)
    if (started) return started
    if (performance.now() >= until) throw stillRunning()
  }
}

/** Reads without a lock, so that waiting requests do not keep the writers of the site from their work. */
async function isHeld(site: Site, { requestHash, ...named }: RequestOfCaller): Promise<boolean> {
  const now = site.clock.now()
  const kept = await findRequest(site.db, named, now)
  return kept?.state === 'running' && kept.requestHash === requestHash && kept.leasedUntil > now
}

/** Undefined while another run holds the request. */
async function tryStart(
  site: Site,
  { caller, key, requestHash }: RequestOfCaller,
): Promise<StartedRequest | undefined> {
  const now = site.clock.now()
  const held = { caller, key, token: randomId() }
  const leasedUntil = new Date(now.getTime() + leaseMs)
  const answer = await inTransaction(site.db, async (db) => {
    await deleteRequestsUntil(db, now)
    const times = { leasedUntil, createdAt: now, expiresAt: new Date(now.getTime() + keptMs) }
    if (await insertRequest(db, { ...held, requestHash, ...times })) return 'started' as const
    const kept = await findRequest(db, { caller, key }, now)
    if (kept && kept.requestHash !== requestHash) throw idempotencyMismatch()
    if (kept?.answer !== undefined) return { answer: kept.answer }
    if (!kept || kept.leasedUntil > now) return undefined
    return (await updateLease(db, kept, { token: held.token, leasedUntil }))
      ? ('started' as const)
      : undefined
  })
  // Only after the commit: a run renews its lease until it is disposed.
  return answer === 'started' ? { run: openRun(site, held) } : answer
}

/** Renews the lease until it is disposed; then a request without an answer is forgotten, because refusals are not kept. */
function openRun(site: Site, held: RequestKey & { token: string }): RequestRun {
  const renew = async () => {
    const leasedUntil = new Date(site.clock.now().getTime() + leaseMs)
    await updateLease(site.db, held, { token: held.token, leasedUntil })
  }
  // A renewal that fails is tried again by the next one; without one, another run takes over and `complete` refuses.
  const timer = setInterval(() => void renew().catch(() => undefined), renewalMs)
  return {
    async complete(db, answer) {
      if (!(await updateAnswer(db, held, answer))) throw stillRunning()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // Deletes no row that has an answer. If it fails, the lease ends by itself.
      await deleteRequest(site.db, held).catch(() => undefined)
    },
  }
}
