/** The holder of a slot, as seen by callers that wait for one. */
export interface Holder {
  /** For how long it has made no progress. */
  silentMs(): number
  /** Makes it release its slot soon. */
  end(): void
}

export interface SlotLimits {
  most: number
  mostPerKey: number
  /** How long a caller waits for a slot before it is refused. */
  waitMs: number
  /** A holder without progress for this long is ended if a caller waits for its slot. */
  silentMs: number
}

interface HeldSlot {
  key: string | undefined
  holder: Holder
  isEnding: boolean
}

interface Waiter {
  key: string | undefined
  tryToTake(): void
}

const mostWaiting = 1_000
const mostWaitingPerKey = 200
const retryMs = 500

/** A bounded number of slots, with a limit for each key (a client address). */
export class Slots {
  readonly #limits: SlotLimits
  readonly #held = new Set<HeldSlot>()
  readonly #heldOfKey = new Map<string, number>()
  /** First come, first served; callers whose key has reached its limit are skipped. */
  readonly #waiting = new Set<Waiter>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get heldCount(): number {
    return this.#held.size
  }

  /** Resolves to a function that releases the slot; to undefined if none was free in time, or the signal was aborted. */
  take(key: string | undefined, holder: Holder, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    if (this.#hasRoom(key)) return Promise.resolve(this.#grant(key, holder))
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
    if (this.#waiting.size >= mostWaiting || this.#waitingOf(key) >= mostWaitingPerKey)
      return Promise.resolve(undefined)

    const end = (release: (() => void) | undefined) => {
      clearTimeout(timeout)
      clearInterval(retry)
      signal.removeEventListener('abort', giveUp)
      this.#waiting.delete(waiter)
      resolve(release)
    }
    const giveUp = () => end(undefined)
    const waiter: Waiter = {
      key,
      tryToTake: () => {
        if (this.#hasRoom(key)) end(this.#grant(key, holder))
      },
    }
    const timeout = setTimeout(giveUp, this.#limits.waitMs)
    const retry = setInterval(() => this.#endSilent(key), retryMs)
    signal.addEventListener('abort', giveUp)
    this.#waiting.add(waiter)
    this.#endSilent(key)
    return promise
  }

  #hasRoom(key: string | undefined): boolean {
    return this.#held.size < this.#limits.most && !this.#isAtBound(key)
  }

  #isAtBound(key: string | undefined): boolean {
    return key !== undefined && (this.#heldOfKey.get(key) ?? 0) >= this.#limits.mostPerKey
  }

  #waitingOf(key: string | undefined): number {
    if (key === undefined) return 0
    let count = 0
    for (const waiter of this.#waiting) if (waiter.key === key) count += 1
    return count
  }

  #grant(key: string | undefined, holder: Holder): () => void {
    const held: HeldSlot = { key, holder, isEnding: false }
    this.#held.add(held)
    if (key !== undefined) this.#heldOfKey.set(key, (this.#heldOfKey.get(key) ?? 0) + 1)
    return () => this.#release(held)
  }

  #release(held: HeldSlot): void {
    if (!this.#held.delete(held)) return
    const { key } = held
    if (key !== undefined) {
      const left = (this.#heldOfKey.get(key) ?? 1) - 1
      if (left === 0) this.#heldOfKey.delete(key)
      else this.#heldOfKey.set(key, left)
    }
    for (const waiter of this.#waiting) {
      if (this.#held.size >= this.#limits.most) return
      waiter.tryToTake()
    }
  }

  /** Ends the holder without progress for the longest time, among those whose slot the key could use. */
  #endSilent(key: string | undefined): void {
    const isOfKey = this.#isAtBound(key)
    let silent: HeldSlot | undefined
    let longestMs = this.#limits.silentMs
    for (const held of this.#held) {
      if (held.isEnding || (isOfKey && held.key !== key)) continue
      const silentMs = held.holder.silentMs()
      if (silentMs >= longestMs) {
        silent = held
        longestMs = silentMs
      }
    }
    if (!silent) return
    silent.isEnding = true
    silent.holder.end()
  }
}
