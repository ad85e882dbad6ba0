export interface SlotBounds {
  /** Slots in use at once, by all tenants together. */
  inAll: number
  /** Of these, by one tenant. */
  perTenant: number
  /** Requests that wait for a slot, of all tenants together. */
  waiting: number
  /** The longest wait for a slot. */
  waitMs: number
  /** What a request is refused with that gets no slot. */
  busy: () => Error
}

interface Waiter {
  tenant: string
  grant: (slot: Disposable) => void
  refuse: (error: unknown) => void
}

/** Slots that tenants take in turn. */
export interface TenantSlots {
  /** Disposing of the slot frees it. Rejects when the queue is full, the wait is too long, or the signal aborts. */
  take(tenant: string, signal: AbortSignal): Promise<Disposable>
  /** Of the callers of this process, and of others if it grants slots to them. */
  readonly inUse: number
  readonly waiting: number
}

/**
 * A bounded number of slots, shared fairly: a free slot goes to the waiting tenant that uses the fewest, first come first
 * served among equals. A tenant that floods the queue loses its own last waiters, never another tenant's.
 */
export class FairSlots implements TenantSlots {
  readonly #bounds: SlotBounds
  readonly #inUseBy = new Map<string, number>()
  readonly #waiting: Waiter[] = []
  #inUse = 0

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds
  }

  get inUse(): number {
    return this.#inUse
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async take(tenant: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#hasSlotFor(tenant)) return this.#use(tenant)
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const waiter: Waiter = { tenant, grant: resolve, refuse: reject }
    this.#enqueue(waiter)
    const leave = (error: unknown) => {
      if (this.#remove(waiter)) reject(error)
    }
    const onAbort = () => leave(signal.reason)
    const timer = setTimeout(() => leave(this.#bounds.busy()), this.#bounds.waitMs)
    signal.addEventListener('abort', onAbort)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #hasSlotFor(tenant: string): boolean {
    return this.#inUse < this.#bounds.inAll && this.#usedBy(tenant) < this.#bounds.perTenant
  }

  #usedBy(tenant: string): number {
    return this.#inUseBy.get(tenant) ?? 0
  }

  #use(tenant: string): Disposable {
    this.#count(tenant, 1)
    let isFreed = false
    const free = () => {
      if (isFreed) return
      isFreed = true
      this.#count(tenant, -1)
      this.#grantNext()
    }
    return { [Symbol.dispose]: free }
  }

  #count(tenant: string, by: 1 | -1): void {
    this.#inUse += by
    const used = this.#usedBy(tenant) + by
    if (used === 0) this.#inUseBy.delete(tenant)
    else this.#inUseBy.set(tenant, used)
  }

  #grantNext(): void {
    let next: Waiter | undefined
    for (const waiter of this.#waiting) {
      if (!this.#hasSlotFor(waiter.tenant)) continue
      if (!next || this.#usedBy(waiter.tenant) < this.#usedBy(next.tenant)) next = waiter
    }
    if (!next) return
    this.#remove(next)
    next.grant(this.#use(next.tenant))
  }

  #enqueue(waiter: Waiter): void {
    if (this.#waiting.length >= this.#bounds.waiting) {
      const leaving = this.#lastOfLargest()
      const isLarger = leaving && this.#waitingOf(leaving.tenant) > this.#waitingOf(waiter.tenant) + 1
      if (!isLarger) throw this.#bounds.busy()
      this.#remove(leaving)
      leaving.refuse(this.#bounds.busy())
    }
    this.#waiting.push(waiter)
  }

  #waitingOf(tenant: string): number {
    return this.#waiting.filter((waiter) => waiter.tenant === tenant).length
  }

  /** The last waiter of the tenant that has the most of them. */
  #lastOfLargest(): Waiter | undefined {
    const byTenant = Map.groupBy(this.#waiting, ({ tenant }) => tenant)
    const [largest] = [...byTenant.values()].sort((one, other) => other.length - one.length)
    return largest?.at(-1)
  }

  #remove(waiter: Waiter): boolean {
    const index = this.#waiting.indexOf(waiter)
    if (index === -1) return false
    this.#waiting.splice(index, 1)
    return true
  }
}
