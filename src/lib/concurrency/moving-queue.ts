export interface QueueLimits {
  /** How many hold a slot at the same time. */
  slots: number
  mostWaiting: number
  /** A queue that has not moved for this long is stalled: who waits in it is refused. */
  stalledAfterMs: number
  refusal: (reason: string) => Error
}

export interface Slot {
  /** How long the holder may still wait before the queue counts as stalled. */
  leftMs(): number
  /** The holder got what it waited for: the queue moves. */
  moved(): void
  release(): void
}

interface Waiting {
  timer: NodeJS.Timeout
  grant: () => void
}

/**
 * Slots in the order of the calls. A long queue that moves is waited for, however long that takes in all: a fixed limit would
 * refuse the last of many callers although each takes only a moment.
 */
export class MovingQueue {
  readonly #limits: QueueLimits
  readonly #waiting = new Set<Waiting>()
  #held = 0
  #movedAt = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  async acquire(): Promise<Slot> {
    const askedAt = performance.now()
    if (this.#held < this.#limits.slots) this.#held += 1
    else await this.#wait(askedAt)
    let isHeld = true
    return {
      leftMs: () => this.#leftMs(askedAt),
      moved: () => {
        this.#movedAt = performance.now()
      },
      release: () => {
        if (isHeld) this.#pass()
        isHeld = false
      },
    }
  }

  #leftMs(askedAt: number): number {
    return this.#limits.stalledAfterMs - (performance.now() - Math.max(askedAt, this.#movedAt))
  }

  #wait(askedAt: number): Promise<void> {
    const { mostWaiting, stalledAfterMs, refusal } = this.#limits
    if (this.#waiting.size >= mostWaiting) throw refusal(`${mostWaiting} others wait already.`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = () => {
      const leftMs = this.#leftMs(askedAt)
      if (leftMs > 0) {
        waiting.timer = setTimeout(check, leftMs)
        return
      }
      this.#waiting.delete(waiting)
      reject(refusal(`The queue has not moved for ${stalledAfterMs / 1_000} seconds.`))
    }
    const waiting: Waiting = { timer: setTimeout(check, stalledAfterMs), grant: resolve }
    this.#waiting.add(waiting)
    return promise
  }

  /** The slot goes to the first that waits. */
  #pass(): void {
    const [first] = this.#waiting
    if (!first) {
      this.#held -= 1
      return
    }
    this.#waiting.delete(first)
    clearTimeout(first.timer)
    first.grant()
  }
}
