import { setTimeout as sleep } from 'node:timers/promises'
import { idempotencyMismatch, stillRunning } from '../accounts/index.ts'
import { type ControlDb, inTransaction } from '../db/index.ts'
import type { Control } from './control.ts'
import {
  type AnsweredCall,
  deleteKeptAnswersUntil,
  deleteRunningCall,
  findKeptAnswer,
  insertKeptAnswer,
  insertRunningCall,
  isRunning,
  updateKeptAnswer,
  updateLease,
} from './kept-answers-table.ts'

const keptMs = 24 * 3_600_000
/** A server renews the lease of its call while it works; that of a killed server ends after this time. */
const leaseMs = 15_000
const renewalMs = 5_000
const patienceMs = 10_000
const pauseMs = 100

export interface HashedCall extends AnsweredCall {
  /** Differs for calls that differ. */
  requestHash: string
}

export type StartedCall = { answer: string } | { run: AsyncDisposable }

/**
 * Starts a call, or returns the answer that an equal one got within 24 hours. While an equal call runs, on any server, waits for its
 * answer for up to 10 seconds. A different call with the same key is refused.
 */
export async function startCall(control: Control, call: HashedCall): Promise<StartedCall> {
  for (const until = performance.now() + patienceMs; ; await sleep(pauseMs)) {
    const kept = await findKeptAnswer(control.store.control, call, control.clock.now())
    if (kept && kept.requestHash !== call.requestHash) throw idempotencyMismatch()
    if (kept && !isRunning(kept)) return { answer: kept.answer }
    if (!kept && (await tryStart(control, call))) return { run: openRun(control, call) }
    if (performance.now() >= until) throw stillRunning()
  }
}

const leaseOf = ({ clock }: Control, call: HashedCall) => ({
  ...call,
  expiresAt: new Date(clock.now().getTime() + leaseMs),
})

const tryStart = (control: Control, call: HashedCall): Promise<boolean> =>
  inTransaction(control.store.control, async (db) => {
    await deleteKeptAnswersUntil(db, control.clock.now())
    return insertRunningCall(db, leaseOf(control, call))
  })

/** Renews the lease until it is disposed; then a call without an answer is forgotten, because refusals are not kept. */
function openRun(control: Control, call: HashedCall): AsyncDisposable {
  const { control: db } = control.store
  // A renewal that fails is tried again by the next one.
  const renew = () => void updateLease(db, leaseOf(control, call)).catch(() => undefined)
  const timer = setInterval(renew, renewalMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // If it fails, the lease ends by itself.
      await deleteRunningCall(db, call).catch(() => undefined)
    },
  }
}

/** The answer that an equal call got meanwhile. */
export async function findAnswer(control: Control, call: HashedCall): Promise<string | undefined> {
  const kept = await findKeptAnswer(control.store.control, call, control.clock.now())
  return kept && !isRunning(kept) && kept.requestHash === call.requestHash ? kept.answer : undefined
}

/** Part of the transaction of the effect, which holds the control lock: both are there, or neither. */
export async function keepAnswer(
  control: Control,
  db: ControlDb,
  { answer, ...call }: HashedCall & { answer: string },
): Promise<void> {
  const kept = { ...call, answer, expiresAt: new Date(control.clock.now().getTime() + keptMs) }
  if (await updateKeptAnswer(db, kept)) return
  // The lease has ended meanwhile. If an equal call had taken effect, this one would have been refused before.
  await deleteKeptAnswersUntil(db, control.clock.now())
  if (!(await insertKeptAnswer(db, kept))) throw idempotencyMismatch()
}
