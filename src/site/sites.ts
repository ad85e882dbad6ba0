import type { OpenedSite, SiteDb, Store } from '../db/index.ts'
import type { Imaging } from '../imaging/index.ts'
import type { Clock } from '../lib/clock.ts'
import { type Storage, storageUnder } from '../storage/index.ts'
import type { Site, UsedSite } from './site.ts'
import type { SiteValues } from './values.ts'

/** What the installation knows of a site before it is opened. */
export interface SiteAddress {
  number: number
  hostname: string
  values: SiteValues
}

/** What all sites share. */
interface Ground {
  store: Store
  storage: Storage
  imaging: Imaging
  clock: Clock
}

interface Entry {
  opened: Promise<OpenedSite>
  users: number
  isDoomed: boolean
  /** Resolves when it is closed. */
  closed: PromiseWithResolvers<void>
}

/** The sites that are open now. Those used longest ago are closed when there are too many; none while in use. */
export class Sites implements AsyncDisposable {
  readonly #ground: Ground
  readonly #mostOpen: number
  readonly #entries = new Map<number, Entry>()
  readonly #closing = new Map<number, Promise<void>>()

  constructor(ground: Ground, mostOpen: number) {
    this.#ground = ground
    this.#mostOpen = mostOpen
  }

  get openCount(): number {
    return this.#entries.size
  }

  /** A site over tables that are at hand already. */
  over(db: SiteDb, address: SiteAddress): Site {
    const { storage, imaging, clock } = this.#ground
    return { ...address, db, clock, imaging, storage: storageUnder(storage, folderOf(address.number)) }
  }

  async open(address: SiteAddress): Promise<UsedSite> {
    const { number } = address
    const entry = this.#entries.get(number) ?? this.#add(number)
    entry.users += 1
    // A deleted tenant may have come back: its site is one and the same, and must not be opened twice.
    entry.isDoomed = false
    // Youngest last, so that the oldest are found first.
    this.#entries.delete(number)
    this.#entries.set(number, entry)
    try {
      const { db } = await entry.opened
      void this.#closeOldest()
      return { ...this.over(db, address), [Symbol.asyncDispose]: () => this.#leave(number, entry) }
    } catch (error) {
      entry.users -= 1
      if (this.#entries.get(number) === entry) this.#entries.delete(number)
      throw error
    }
  }

  /** Closes a site that is gone, now or when its last user leaves. */
  async close(number: number): Promise<void> {
    const entry = this.#entries.get(number)
    if (!entry) return this.#closing.get(number)
    entry.isDoomed = true
    if (entry.users === 0) await this.#shut(number, entry)
  }

  /** Resolves when the last user of a site that is gone has left; nothing when there is none. */
  whenLeft(number: number): Promise<void> | undefined {
    return this.#entries.get(number)?.closed.promise
  }

  /** Removes all that a site has stored. May be repeated. */
  async dropFiles(number: number): Promise<void> {
    await this.#ground.storage.removeAll(placeOf(number))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all([...entries.map(closeEntry), ...this.#closing.values()])
  }

  #add(number: number): Entry {
    const isClosed = this.#closing.get(number) ?? Promise.resolve()
    const opened = isClosed.then(() => this.#ground.store.openSite(number))
    const entry = { opened, users: 0, isDoomed: false, closed: Promise.withResolvers<void>() }
    this.#entries.set(number, entry)
    return entry
  }

  async #leave(number: number, entry: Entry): Promise<void> {
    entry.users -= 1
    if (entry.isDoomed && entry.users === 0) await this.#shut(number, entry)
  }

  async #closeOldest(): Promise<void> {
    for (const [number, entry] of this.#entries) {
      if (this.#entries.size <= this.#mostOpen) return
      if (entry.users === 0) await this.#shut(number, entry)
    }
  }

  async #shut(number: number, entry: Entry): Promise<void> {
    this.#entries.delete(number)
    const closed = closeEntry(entry)
    this.#closing.set(number, closed)
    await closed
    entry.closed.resolve()
    if (this.#closing.get(number) === closed) this.#closing.delete(number)
  }
}

const placeOf = (number: number) => `sites/${number}`
const folderOf = (number: number) => `${placeOf(number)}/files`

async function closeEntry(entry: Entry): Promise<void> {
  // One that could not be opened, or not be closed, is left to the end of the process; its user was told.
  const opened = await entry.opened.catch(() => undefined)
  await opened?.close().catch(() => undefined)
}
