import type { OpenedSite, SiteDb } from '../db/index.ts'
import type { Imaging } from '../imaging/index.ts'
import type { Clock } from '../lib/clock.ts'
import { type Storage, storageUnder } from '../storage/index.ts'
import { siteElsewhere } from './errors.ts'
import { bytesFolder, ownPlace, type SitePlace } from './place.ts'
import type { Places } from './places.ts'
import type { Site, UsedSite } from './site.ts'
import type { SiteValues } from './values.ts'

/** What the installation knows of a site before it is opened. */
export interface SiteAddress {
  number: number
  hostname: string
  values: SiteValues
  /** Where the installation's own are, unless told. */
  place?: SitePlace | undefined
}

/** What all sites share. */
interface Ground {
  places: Places
  imaging: Imaging
  clock: Clock
}

interface Entry {
  place: SitePlace
  opened: Promise<OpenedSite & { storage: Storage }>
  /** As it was opened last. */
  site: Site | undefined
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
  /** Those that are used where they were before a move. */
  readonly #left = new Map<number, Set<Entry>>()

  constructor(ground: Ground, mostOpen: number) {
    this.#ground = ground
    this.#mostOpen = mostOpen
  }

  get openCount(): number {
    return this.#entries.size
  }

  /** A site over tables that are at hand already. */
  over(db: SiteDb, { number, hostname, values }: SiteAddress, storage = this.#ownBytes(number)): Site {
    const { imaging, clock } = this.#ground
    return { number, hostname, values, db, clock, imaging, storage }
  }

  async open(address: SiteAddress): Promise<UsedSite> {
    const { number, place = ownPlace } = address
    const entry = this.#at(number, place) ?? this.#add(number, place)
    entry.users += 1
    // A deleted tenant may have come back: its site is one and the same, and must not be opened twice.
    entry.isDoomed = false
    // Youngest last, so that the oldest are found first.
    this.#entries.delete(number)
    this.#entries.set(number, entry)
    try {
      const { db, storage } = await entry.opened
      void this.#closeOldest()
      entry.site = this.#current(entry, address) ?? this.over(db, address, storage)
      return { ...entry.site, [Symbol.asyncDispose]: () => this.#leave(number, entry) }
    } catch (error) {
      entry.users -= 1
      if (this.#entries.get(number) === entry) this.#entries.delete(number)
      if (entry.users === 0 && this.#left.get(number)?.delete(entry)) entry.closed.resolve()
      throw error
    }
  }

  /** A site that is open, for as long as nobody else has a turn. */
  atOnce(address: SiteAddress): Site | undefined {
    const entry = this.#entries.get(address.number)
    if (!entry || entry.isDoomed) return undefined
    if (!isSame(entry.place, address.place ?? ownPlace)) return undefined
    this.#entries.delete(address.number)
    this.#entries.set(address.number, entry)
    return this.#current(entry, address)
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
    const left = this.#left.get(number)
    return left && left.size > 0 ? [...left][0]?.closed.promise : this.#entries.get(number)?.closed.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values(), ...[...this.#left.values()].flatMap((left) => [...left])]
    this.#entries.clear()
    await Promise.all([...entries.map(closeEntry), ...this.#closing.values()])
  }

  /** A site that has moved is opened where it is now; whoever is still at work where it was is left in peace. */
  #at(number: number, place: SitePlace): Entry | undefined {
    const entry = this.#entries.get(number)
    if (!entry || isSame(entry.place, place)) return entry
    if (entry.place.generation > place.generation) throw siteElsewhere()
    this.#entries.delete(number)
    entry.isDoomed = true
    if (entry.users === 0) void closeEntry(entry).then(entry.closed.resolve)
    else this.#left.set(number, (this.#left.get(number) ?? new Set()).add(entry))
    return undefined
  }

  #add(number: number, place: SitePlace): Entry {
    const isClosed = this.#closing.get(number) ?? Promise.resolve()
    const opened = isClosed.then(() => this.#open(number, place))
    const closed = Promise.withResolvers<void>()
    const entry = { place, opened, site: undefined, users: 0, isDoomed: false, closed }
    this.#entries.set(number, entry)
    return entry
  }

  async #open(number: number, place: SitePlace) {
    const { places } = this.#ground
    const { rowsAt: placedAt, generation } = place
    const storage = await places.bytes(number, place)
    const store = await places.store(place.database)
    return { ...(await store.openSite(number, { placedAt, generation })), storage }
  }

  #ownBytes(number: number): Storage {
    return storageUnder(this.#ground.places.own.storage, `${bytesFolder(number, 0)}/files`)
  }

  /** Its name and its values may have changed since. */
  #current({ site }: Entry, { hostname, values }: SiteAddress): Site | undefined {
    return site?.hostname === hostname && site.values === values ? site : undefined
  }

  async #leave(number: number, entry: Entry): Promise<void> {
    entry.users -= 1
    if (!entry.isDoomed || entry.users > 0) return
    if (!this.#left.get(number)?.delete(entry)) return this.#shut(number, entry)
    await closeEntry(entry)
    entry.closed.resolve()
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

/** A new password makes a new URL, and no move. */
const isSame = (one: SitePlace, two: SitePlace) =>
  one.generation === two.generation && one.database === two.database && one.storage === two.storage

async function closeEntry(entry: Entry): Promise<void> {
  // One that could not be opened, or not be closed, is left to the end of the process; its user was told.
  const opened = await entry.opened.catch(() => undefined)
  await opened?.close().catch(() => undefined)
}
