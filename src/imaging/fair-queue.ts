/** A bounded queue that serves tenants in turn (round robin), however many items each of them has queued. */
export class FairQueue<T> {
  readonly #limit: number
  /** By tenant key; the first key is served next. */
  readonly #waiting = new Map<string, T[]>()
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#size
  }

  /**
   * If the queue is full, returns the item that has to leave it: the last item of the tenant with the most items, or the new
   * item if its own tenant has as many. So one tenant alone cannot fill the queue and lock the others out.
   */
  push(tenantKey: string, item: T): T | undefined {
    const own = this.#waiting.get(tenantKey)
    if (this.#size < this.#limit) {
      this.#add(tenantKey, item)
      return undefined
    }
    const [largest, most] = this.#largest()
    if (most.length <= (own?.length ?? 0) + 1) return item
    const leaving = most.pop()
    if (most.length === 0) this.#waiting.delete(largest)
    this.#size--
    this.#add(tenantKey, item)
    return leaving
  }

  take(): T | undefined {
    const next = this.#waiting.entries().next()
    if (next.done) return undefined
    const [tenantKey, items] = next.value
    const item = items.shift()
    this.#size--
    this.#waiting.delete(tenantKey)
    if (items.length > 0) this.#waiting.set(tenantKey, items)
    return item
  }

  remove(tenantKey: string, item: T): boolean {
    const items = this.#waiting.get(tenantKey) ?? []
    const index = items.indexOf(item)
    if (index === -1) return false
    items.splice(index, 1)
    if (items.length === 0) this.#waiting.delete(tenantKey)
    this.#size--
    return true
  }

  #add(tenantKey: string, item: T): void {
    const own = this.#waiting.get(tenantKey)
    if (own === undefined) this.#waiting.set(tenantKey, [item])
    else own.push(item)
    this.#size++
  }

  #largest(): [string, T[]] {
    let largest: [string, T[]] = ['', []]
    for (const entry of this.#waiting) if (entry[1].length > largest[1].length) largest = entry
    return largest
  }
}
