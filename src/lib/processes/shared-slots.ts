import type { FairSlots, TenantSlots } from '../concurrency/fair-slots.ts'
import { type Holder, type SlotLimits, Slots } from '../concurrency/slots.ts'
import { grant, type Held, hold } from './hold.ts'
import type { Peer } from './peer.ts'
import type { Processes } from './processes.ts'

/** Slots of all processes of the server, which the first one grants. */
export function shareTenantSlots(processes: Processes, name: string, slots: FairSlots): TenantSlots {
  const { first } = processes
  if (!first) {
    processes.answer(name, async (tenant: string, call) => {
      const slot = await slots.take(tenant, call.signal)
      await grant(call, { release: () => slot[Symbol.dispose]() })
    })
    return slots
  }
  return new SlotsOfFirst(first, name)
}

class SlotsOfFirst implements TenantSlots {
  readonly #first: Peer
  readonly #name: string
  inUse = 0
  waiting = 0

  constructor(first: Peer, name: string) {
    this.#first = first
    this.#name = name
  }

  async take(tenant: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    // Not with the signal of the caller, which only ends the waiting.
    const waiting = new AbortController()
    const onAbort = () => waiting.abort()
    signal.addEventListener('abort', onAbort, { once: true })
    this.waiting += 1
    try {
      const slot = await hold(this.#first, this.#name, { input: tenant, signal: waiting.signal })
      this.inUse += 1
      return { [Symbol.dispose]: () => this.#free(slot) }
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      this.waiting -= 1
      signal.removeEventListener('abort', onAbort)
    }
  }

  #free(slot: Held<unknown> | undefined): void {
    slot?.release()
    this.inUse -= 1
  }
}

/** Several bounded numbers of slots, with a limit for each key. */
export interface SlotPools {
  /**
   * Waits for a slot of the pool, and resolves to the number that are taken. Undefined if none was free in time. The slot is
   * held until the signal is aborted.
   */
  take(
    pool: SlotPool,
    key: string | undefined,
    holder: Holder,
    gone: AbortSignal,
  ): Promise<number | undefined>
}

export interface SlotPool {
  /** The same in all processes. */
  name: string
  most: number
}

/** Pools of all processes of the server, which the first one keeps. It ends silent holders of the others too. */
export function shareSlotPools(
  processes: Processes,
  name: string,
  limitsOf: (pool: SlotPool) => SlotLimits,
): SlotPools {
  const { first } = processes
  if (first) return poolsAt(first, processes, name)
  const pools = new Map<string, Slots>()
  const slotsOf = (pool: SlotPool): Slots => {
    const slots = pools.get(pool.name) ?? new Slots(limitsOf(pool))
    pools.set(pool.name, slots)
    return slots
  }
  const silences = new WeakMap<Peer, Silences>()
  processes.answer(name, async ({ pool, key, holder }: Question, call) => {
    const slots = slotsOf(pool)
    const known = silences.get(call.peer) ?? new Silences(call.peer, name)
    silences.set(call.peer, known)
    const release = await slots.take(key, known.holderOf(holder), call.signal)
    if (release) await grant(call, { value: slots.heldCount, release })
  })
  return {
    async take(pool, key, holder, gone) {
      const slots = slotsOf(pool)
      const release = await slots.take(key, holder, gone)
      if (!release) return undefined
      if (gone.aborted) release()
      else gone.addEventListener('abort', release)
      return slots.heldCount
    },
  }
}

interface Question {
  pool: SlotPool
  key: string | undefined
  /** Its number in the process that asks. */
  holder: number
}

function poolsAt(first: Peer, processes: Processes, name: string): SlotPools {
  const holders = new Map<number, Holder>()
  let last = 0
  processes.answer(silenceOf(name), () => new Map([...holders].map(([id, each]) => [id, each.silentMs()])))
  processes.answer(endOf(name), (id: number) => holders.get(id)?.end())
  return {
    async take(pool, key, holder, gone) {
      if (gone.aborted) return undefined
      last += 1
      const id = last
      holders.set(id, holder)
      const question: Question = { pool, key, holder: id }
      const held = await hold<number>(first, name, { input: question, signal: gone }).catch((error) => {
        holders.delete(id)
        throw error
      })
      if (!held || gone.aborted) holders.delete(id)
      else gone.addEventListener('abort', () => holders.delete(id))
      return held?.granted
    },
  }
}

const silenceOf = (name: string) => `${name}-silence`
const endOf = (name: string) => `${name}-end`

/** Callers that wait look at the silence of holders twice a second. */
const currentMs = 400

/** For how long the holders in another process have been silent, as it last said. */
class Silences {
  readonly #peer: Peer
  readonly #name: string
  #known = new Map<number, number>()
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(peer: Peer, name: string) {
    this.#peer = peer
    this.#name = name
  }

  holderOf(id: number): Holder {
    return {
      silentMs: () => {
        this.#refresh()
        return this.#known.get(id) ?? 0
      },
      end: () => void this.#peer.ask(endOf(this.#name), id).catch(() => undefined),
    }
  }

  #refresh(): void {
    const now = performance.now()
    if (now - this.#askedAt < currentMs) return
    this.#askedAt = now
    const asked = this.#peer.ask<Map<number, number>>(silenceOf(this.#name), undefined)
    void asked.then((known) => (this.#known = known)).catch(() => undefined)
  }
}
