import type { OpenedSite, SiteDb } from '../db/index.ts'
import type { Imaging } from '../imaging/index.ts'
import type { Clock } from '../lib/clock.ts'
import { Refusal } from '../lib/refusal.ts'
import { prefixedStorage, type Storage } from '../storage/index.ts'
import type { AuditLogs } from './audit/audit-logs.ts'
import type { BackendPool } from './backend-pool.ts'
import { bytesFolder, type SiteLocation } from './location.ts'
import type { ProcessCounters } from './process-counters.ts'
import { type PurgeQueue, writePurges } from './purges/purge-queue.ts'
import type { QuotaState } from './quotas/quota-rules.ts'
import { hasSigningKeys, signingKeysOf } from './signing-keys.ts'
import type { Site, UsedSite } from './site.ts'
import type { SiteValues } from './values.ts'

/** What is needed to open a site. */
export interface SiteAddress {
  number: number
  /** Undefined while it is installed, restored or dropped. */
  tenantId?: string | undefined
  hostname: string
  values: SiteValues
  /** As the control row has them. */
  quotas?: readonly QuotaState[] | undefined
  location: SiteLocation
}

/** What all sites share. */
interface SharedParts {
  backends: BackendPool
  imaging: Imaging
  clock: Clock
  auditLogs: AuditLogs
  counters: ProcessCounters
  /** Undefined: this installation sends no purges. */
  purges?: PurgeQueue | undefined
}

interface Entry {
  location: SiteLocation
  opened: Promise<OpenedSite & { storage: Storage }>
  /** As the last caller opened it. */
  site: Site | undefined
  users: number
  isClosing: boolean
  /** Resolves when it is closed. */
  closed: PromiseWithResolvers<void>
}

/** The open sites. If there are too many, those used longest ago are closed, but none while it is in use. */
export class Sites implements AsyncDisposable {
  readonly #shared: SharedParts
  readonly #mostOpen: number
  readonly #entries = new Map<number, Entry>()
  readonly #closing = new Map<number, Promise<void>>()
  /** Entries that are still used at their location before a move. */
  readonly #moved = new Map<number, Set<Entry>>()

  constructor(shared: SharedParts, mostOpen: number) {
    this.#shared = shared
    this.#mostOpen = mostOpen
  }

  get auditLogs(): AuditLogs {
    return this.#shared.auditLogs
  }

  get purges(): PurgeQueue | undefined {
    return this.#shared.purges
  }

  get openCount(): number {
    return this.#entries.size
  }

  /** A site over a database that is already open. */
  over(
    db: SiteDb,
    {
      number,
      tenantId,
      hostname,
      values,
      quotas,
      location,
    }: Omit<SiteAddress, 'location'> & Partial<SiteAddress>,
    storage = this.#ownBytes(number),
  ): Site {
    const { imaging, clock, auditLogs, counters } = this.#shared
    const auditLog = auditLogs.of(number)
    const signingKeys = location && signingKeysOf(location)
    const author = { kind: 'operator' } as const
    const site = {
      number,
      tenantId,
      hostname,
      values,
      quotas,
      db,
      clock,
      imaging,
      storage,
      author,
      auditLog,
      counters,
    }
    return signingKeys ? { ...site, signingKeys } : site
  }

  async open(address: SiteAddress): Promise<UsedSite> {
    const { number, location } = address
    const entry = this.#at(number, location) ?? this.#add(number, location)
    entry.users += 1
    // A deleted tenant may have been created again: its site is the one that is open, and must not be opened twice.
    entry.isClosing = false
    // Last used is last in the map, so that `#closeOldest` finds the oldest first.
    this.#entries.delete(number)
    this.#entries.set(number, entry)
    try {
      const { db, storage } = await entry.opened
      void this.#closeOldest()
      entry.site = this.#current(entry, address) ?? this.over(db, address, storage)
      const { purges: queue, clock } = this.#shared
      if (queue) writePurges(db, { site: number, hostname: address.hostname, clock, queue })
      return { ...entry.site, [Symbol.asyncDispose]: () => this.#release(number, entry) }
    } catch (error) {
      entry.users -= 1
      if (this.#entries.get(number) === entry) this.#entries.delete(number)
      if (entry.users === 0 && this.#moved.get(number)?.delete(entry)) entry.closed.resolve()
      throw error
    }
  }

  /** Synchronous variant of `open`: undefined if the site is not open. The result is valid until the next await. */
  findOpen(address: SiteAddress): Site | undefined {
    const entry = this.#entries.get(address.number)
    if (!entry || entry.isClosing) return undefined
    if (!isSame(entry.location, address.location)) return undefined
    this.#entries.delete(address.number)
    this.#entries.set(address.number, entry)
    return this.#current(entry, address)
  }

  /** Closes a dropped site, now or when its last user releases it. */
  async close(number: number): Promise<void> {
    const entry = this.#entries.get(number)
    if (!entry) return this.#closing.get(number)
    entry.isClosing = true
    if (entry.users === 0) await this.#shut(number, entry)
  }

  /** Resolves when the last user of a dropped site has released it; undefined if it is not open. */
  whenUnused(number: number): Promise<void> | undefined {
    const moved = this.#moved.get(number)
    return moved && moved.size > 0 ? [...moved][0]?.closed.promise : this.#entries.get(number)?.closed.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values(), ...[...this.#moved.values()].flatMap((moved) => [...moved])]
    this.#entries.clear()
    await Promise.all([...entries.map(closeEntry), ...this.#closing.values()])
  }

  /** After a move the site is opened at its new location; current users keep the old entry until they release it. */
  #at(number: number, location: SiteLocation): Entry | undefined {
    const entry = this.#entries.get(number)
    if (!entry || isSame(entry.location, location)) return entry
    if (entry.location.generation > location.generation) throw siteElsewhere()
    this.#entries.delete(number)
    entry.isClosing = true
    if (entry.users === 0) void closeEntry(entry).then(entry.closed.resolve)
    else this.#moved.set(number, (this.#moved.get(number) ?? new Set()).add(entry))
    return undefined
  }

  #add(number: number, location: SiteLocation): Entry {
    const isClosed = this.#closing.get(number) ?? Promise.resolve()
    const opened = isClosed.then(() => this.#open(number, location))
    const closed = Promise.withResolvers<void>()
    const entry = { location, opened, site: undefined, users: 0, isClosing: false, closed }
    this.#entries.set(number, entry)
    return entry
  }

  async #open(number: number, location: SiteLocation) {
    const { backends } = this.#shared
    const { rowsGeneration, generation } = location
    const storage = await backends.bytes(number, location)
    const store = await backends.store(location.database)
    return { ...(await store.openSite(number, { rowsGeneration, generation })), storage }
  }

  #ownBytes(number: number): Storage {
    return prefixedStorage(this.#shared.backends.own.storage, `${bytesFolder(number, 0)}/files`)
  }

  /** Undefined if the site's tenant, hostname, values, quotas or signing keys have changed since. */
  #current({ site }: Entry, address: SiteAddress): Site | undefined {
    const { tenantId, hostname, values, quotas, location } = address
    const isCurrent = site?.values === values && site.hostname === hostname && site.tenantId === tenantId
    return isCurrent && site.quotas === quotas && hasSigningKeys(site, location) ? site : undefined
  }

  async #release(number: number, entry: Entry): Promise<void> {
    entry.users -= 1
    if (!entry.isClosing || entry.users > 0) return
    if (!this.#moved.get(number)?.delete(entry)) return this.#shut(number, entry)
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

/** A changed URL without a new generation is a changed password, and needs a new connection. */
const isSame = (one: SiteLocation, two: SiteLocation) =>
  one.generation === two.generation && one.database === two.database && one.storage === two.storage

async function closeEntry(entry: Entry): Promise<void> {
  // The caller of open got the error already; a file that cannot be closed ends with the process.
  const opened = await entry.opened.catch(() => undefined)
  await opened?.close().catch(() => undefined)
}

/** The caller's location of the site is older than the one it is open at: a move has finished meanwhile. */
const siteElsewhere = () =>
  new Refusal('unavailable', 'site-moving', 'This site is being moved. Try again shortly.')
