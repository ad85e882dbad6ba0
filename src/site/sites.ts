import type { OpenedSite, Store } from '../db/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { UsedSite } from './site.ts'
import type { SiteValues } from './values.ts'

/** What the installation knows of a site before it is opened. */
export interface SiteAddress {
  number: number
  hostname: string
  values: SiteValues
}

interface Entry {
  opened: Promise<OpenedSite>
  users: number
  isDoomed: boolean
}

/** The sites that are open now. Those used longest ago are closed when there are too many; none while in use. */
export class Sites implements AsyncDisposable {
  readonly #store: Store
  readonly #clock: Clock
  readonly #mostOpen: number
  readonly #entries = new Map<number, Entry>()

  constructor(options: { store: Store; clock: Clock; mostOpen: number }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#mostOpen = options.mostOpen
  }

  get openCount(): number {
    return this.#entries.size
  }

  async open({ number, hostname, values }: SiteAddress): Promise<UsedSite> {
    const entry = this.#entries.get(number) ?? this.#add(number)
    entry.users += 1
    // Youngest last, so that the oldest are found first.
    this.#entries.delete(number)
    this.#entries.set(number, entry)
    try {
      const { db } = await entry.opened
      void this.#closeOldest()
      return { number, hostname, db, values, clock: this.#clock, [Symbol.asyncDispose]: () => this.#leave(entry) }
    } catch (error) {
      if (this.#entries.get(number) === entry) this.#entries.delete(number)
      throw error
    }
  }

  /** Closes a site that is gone, now or when its last user leaves. */
  async close(number: number): Promise<void> {
    const entry = this.#entries.get(number)
    if (!entry) return
    this.#entries.delete(number)
    entry.isDoomed = true
    if (entry.users === 0) await closeEntry(entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(closeEntry))
  }

  #add(number: number): Entry {
    const entry = { opened: this.#store.openSite(number), users: 0, isDoomed: false }
    this.#entries.set(number, entry)
    return entry
  }

  async #leave(entry: Entry): Promise<void> {
    entry.users -= 1
    if (entry.isDoomed && entry.users === 0) await closeEntry(entry)
  }

  async #closeOldest(): Promise<void> {
    for (const [number, entry] of this.#entries) {
      if (this.#entries.size <= this.#mostOpen) return
      if (entry.users > 0) continue
      this.#entries.delete(number)
      await closeEntry(entry)
    }
  }
}

async function closeEntry(entry: Entry): Promise<void> {
  const opened = await entry.opened.catch(() => undefined)
  await opened?.close()
}
