/** A map with a size limit, which evicts the least recently used entry. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #limit: number
  /** The last used key, so that repeated reads of it do not move it again. */
  #youngest: K | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined || key === this.#youngest) return value
    this.#entries.delete(key)
    this.#entries.set(key, value)
    this.#youngest = key
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    this.#youngest = key
    if (this.#entries.size <= this.#limit) return
    const oldest = this.#entries.keys().next()
    if (!oldest.done) this.#entries.delete(oldest.value)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  /** Oldest first. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries()
  }
}
