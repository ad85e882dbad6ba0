import { LruMap } from '../lib/lru.ts'

const mostRemembered = 2_000

/** How the store notifies of changes of control rows. */
export interface ChangeNotifications {
  /** Increases with every change. */
  version(): number
  /** Resolves when the version is recent enough to be relied on; undefined if it already is. */
  whenCurrent(): Promise<void> | undefined
}

/** Caches values read from control rows until their version increases. */
export class VersionedCache {
  readonly #changes: ChangeNotifications
  readonly #values = new LruMap<string, unknown>(mostRemembered)
  /** Reads in progress for this version, so that concurrent callers share one query. */
  readonly #reading = new Map<string, Promise<unknown>>()
  #version = -1

  constructor(changes: ChangeNotifications) {
    this.#changes = changes
  }

  /**
   * Only existing values are cached, so that look-ups of unknown names evict nothing. `isConfirmed`: the caller has just
   * awaited another value for the same request, and waits no second time.
   */
  async read<T>(name: string, read: () => Promise<T>, { isConfirmed = false } = {}): Promise<T> {
    // Wait for the notification check, even if it is slow: reading everything again would make a slow database slower.
    const current = isConfirmed ? undefined : this.#changes.whenCurrent()
    if (current) await current
    const version = this.#current()
    const known = this.#values.get(name)
    if (known !== undefined) return known as T
    const reading = this.#reading.get(name) ?? this.#read(name, version, read)
    return (await reading) as T
  }

  /**
   * Synchronous variant of `read`: undefined if the value is not cached, or its version must be awaited. A value that is not
   * confirmed may be older: only for reads ahead, whose result is used after a `read`.
   */
  peek<T>(name: string, { isConfirmed = true } = {}): T | undefined {
    if (!isConfirmed) return this.#values.get(name) as T | undefined
    if (this.#changes.whenCurrent()) return undefined
    this.#current()
    return this.#values.get(name) as T | undefined
  }

  #read<T>(name: string, version: number, read: () => Promise<T>): Promise<T> {
    const reading = read()
      .then((value) => {
        // A change during the read may not be included in it.
        if (value !== undefined && this.#current() === version) this.#values.set(name, value)
        return value
      })
      .finally(() => {
        if (this.#reading.get(name) === reading) this.#reading.delete(name)
      })
    this.#reading.set(name, reading)
    return reading
  }

  #current(): number {
    const version = this.#changes.version()
    if (version !== this.#version) {
      this.#values.clear()
      this.#reading.clear()
      this.#version = version
    }
    return version
  }
}
