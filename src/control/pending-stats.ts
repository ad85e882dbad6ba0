import type { Clock } from '../lib/clock.ts'
import { dayOf, type ProcessCounters } from '../site/index.ts'

type ViewedKind = 'file' | 'album'

interface PendingViews {
  kind: ViewedKind
  id: string
  /** Counted, but not yet being written. */
  counted: number
  /** Being written at this moment. */
  writing: number
  /** The highest number that was shown for it. */
  shown: number
  /** When they were last written, by `performance.now()`. */
  writtenAt: number
}

/** What is counted without waiting for the database, beside views. */
export type PendingCounts = Partial<
  Record<'downloads' | 'trafficBytes' | 'transformHits' | 'apiRequests' | 'serverErrors', number>
>

/** What was counted on one day of a site. */
export interface PendingDay {
  day: string
  /** By id, how many views to add. */
  views: Readonly<Record<ViewedKind, ReadonlyMap<string, number>>>
  /** By the user whose files it is about; under no user what is about none. */
  counts: ReadonlyMap<string | undefined, PendingCounts>
  /** Ids of derived pictures that were sent. */
  used: ReadonlySet<string>
}

interface SiteEntry {
  viewed: Map<string, PendingViews>
  /** The day of what is counted now. */
  day: string
  counts: Map<string | undefined, PendingCounts>
  used: Set<string>
  /** When the first of the counts came, by `performance.now()`; undefined if there are none. */
  countedSince: number | undefined
  /** Bytes of the counts. */
  countedBytes: number
  /** Days that ended before they were written, or whose write has failed. */
  earlier: PendingDay[]
  writing: readonly PendingDay[] | undefined
  /** Its rows have changed, but the report of its stats failed. */
  isUnreported: boolean
}

interface Viewed {
  /** A file by default. */
  kind?: ViewedKind
  id: string
  /** Of the row, as the caller read it. */
  views: number
}

/** Files and albums with views in memory, of all sites: some 200 bytes each. */
const mostViewed = 20_000

/** Longer than a request takes that has read the row before the views were written. */
const keptMs = 10_000

/** Traffic is written after this time, or as soon as there is this much of it. */
const countedMs = 8_000
const mostCountedBytes = 64_000_000

/**
 * What this process still has to write for sites: views and traffic, which are counted in memory so that an answer does not
 * wait for the disk, and reports that failed. A kill loses what was counted in the last seconds; reports are reconciled at
 * the next start.
 */
export class PendingStats {
  readonly #sites = new Map<number, SiteEntry>()
  readonly #clock: Clock
  readonly #done: ProcessCounters['done']
  readonly #mostViewed: number
  #viewed = 0
  #lost = 0
  /** Called when a site has so much traffic that it should be written now. */
  onMuchTraffic: () => void = () => {}
  /** Has the other processes of the server write what they have counted of a site. */
  writeOthers: (site: number) => Promise<void> = async () => {}

  constructor(clock: Clock, { done }: ProcessCounters, limit = mostViewed) {
    this.#clock = clock
    this.#done = done
    this.#mostViewed = limit
  }

  /** Counts what was done with files of a user, or with none. */
  add(site: number, userId: string | undefined, by: PendingCounts): void {
    const entry = this.#entry(site)
    this.#turnDay(entry)
    // While the database is unreachable for long, what is not about known users still counts for the site.
    const key = entry.counts.has(userId) || entry.counts.size < this.#mostViewed ? userId : undefined
    const counts = entry.counts.get(key) ?? {}
    for (const name of Object.keys(by) as (keyof PendingCounts)[]) {
      counts[name] = (counts[name] ?? 0) + (by[name] ?? 0)
      this.#done[name] += by[name] ?? 0
    }
    entry.counts.set(key, counts)
    entry.countedSince ??= performance.now()
    const wasMuch = isMuch(entry)
    entry.countedBytes += by.trafficBytes ?? 0
    if (!wasMuch && isMuch(entry)) this.onMuchTraffic()
  }

  /** Counts a derived picture that was sent, and when it was. */
  addHit(site: number, derivedId: string): void {
    this.add(site, undefined, { transformHits: 1 })
    const { used } = this.#entry(site)
    if (used.size < this.#mostViewed) used.add(derivedId)
  }

  /** Counts a view; returns the views so far. */
  addView(site: number, seen: Viewed): number {
    const entry = this.#entry(site)
    this.#turnDay(entry)
    const { viewed } = entry
    let views = viewed.get(nameOf(seen))
    if (!views) {
      if (this.#viewed >= this.#mostViewed) this.#prune(0)
      if (this.#viewed >= this.#mostViewed) {
        // The database has been unreachable for long: show the page without counting.
        this.#lost += 1
        return seen.views + 1
      }
      const { kind = 'file', id } = seen
      views = { kind, id, counted: 0, writing: 0, shown: 0, writtenAt: 0 }
      viewed.set(nameOf(seen), views)
      this.#viewed += 1
    }
    views.counted += 1
    if (views.kind === 'file') this.#done.views += 1
    views.shown = soFar(views, seen, 1)
    return views.shown
  }

  /** The views so far, including those that are not yet written. */
  viewsOf(site: number, seen: Viewed): number {
    const views = this.#sites.get(site)?.viewed.get(nameOf(seen))
    return views ? soFar(views, seen, 0) : seen.views
  }

  markUnsynced(site: number): void {
    this.#entry(site).isUnreported = true
  }

  /** Sites with something to write that no caller is writing; all of them, or those that have waited long enough. */
  dueSites(which: 'all' | 'waiting' = 'all'): number[] {
    this.#prune(keptMs)
    const due: number[] = []
    const since = which === 'all' ? Number.POSITIVE_INFINITY : performance.now() - countedMs
    for (const [site, entry] of this.#sites) {
      if (entry.writing) continue
      const hasViews = [...entry.viewed.values()].some(({ counted }) => counted > 0)
      const isCounted = entry.countedSince !== undefined && (entry.countedSince <= since || isMuch(entry))
      if (entry.isUnreported || hasViews || isCounted || entry.earlier.length > 0) due.push(site)
      else if (entry.viewed.size === 0 && entry.counts.size === 0) this.#sites.delete(site)
    }
    return due
  }

  /** Hands over what was counted for a site to be written; undefined if another caller is writing, or there is nothing. */
  begin(site: number): readonly PendingDay[] | undefined {
    const entry = this.#sites.get(site)
    if (!entry || entry.writing) return undefined
    for (const views of entry.viewed.values()) views.writing = views.counted
    entry.writing = [...entry.earlier, takeDay(entry)]
    entry.earlier = []
    entry.isUnreported = false
    return entry.writing
  }

  /** What could not be written is kept. Written views stay a little longer, for requests that read the row before. */
  end(site: number, isWritten: boolean): void {
    const entry = this.#sites.get(site)
    if (!entry) return
    for (const views of entry.viewed.values()) {
      if (isWritten && views.writing > 0) views.writtenAt = performance.now()
      views.writing = 0
    }
    if (!isWritten) entry.earlier.unshift(...(entry.writing ?? []))
    entry.writing = undefined
  }

  /** For a dropped site. */
  forget(site: number): void {
    this.#viewed -= this.#sites.get(site)?.viewed.size ?? 0
    this.#sites.delete(site)
  }

  /** How many views were not counted for lack of room since the last call. */
  takeLost(): number {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  /** Forgets files and albums whose views were all written at least this long ago. */
  #prune(olderThanMs: number): void {
    const before = performance.now() - olderThanMs
    for (const { viewed } of this.#sites.values()) {
      for (const [name, { counted, writing, writtenAt }] of viewed) {
        if (counted > 0 || writing > 0 || writtenAt > before) continue
        viewed.delete(name)
        this.#viewed -= 1
      }
    }
  }

  #entry(site: number): SiteEntry {
    let entry = this.#sites.get(site)
    if (!entry) {
      entry = {
        viewed: new Map(),
        day: dayOf(this.#clock.now()),
        counts: new Map(),
        used: new Set(),
        countedSince: undefined,
        countedBytes: 0,
        earlier: [],
        writing: undefined,
        isUnreported: false,
      }
      this.#sites.set(site, entry)
    }
    return entry
  }

  /** What is counted belongs to the day on which it was counted, however late it is written. */
  #turnDay(entry: SiteEntry): void {
    const day = dayOf(this.#clock.now())
    if (entry.day === day) return
    const before = takeDay(entry)
    if (before.counts.size + before.views.file.size + before.views.album.size > 0) entry.earlier.push(before)
    entry.day = day
  }
}

const isMuch = ({ countedBytes }: SiteEntry) => countedBytes >= mostCountedBytes

/** Empties the counts of the day. */
function takeDay(entry: SiteEntry): PendingDay {
  const views = { file: new Map<string, number>(), album: new Map<string, number>() }
  for (const each of entry.viewed.values()) {
    if (each.counted > 0) views[each.kind].set(each.id, each.counted)
    each.counted = 0
  }
  const taken = { day: entry.day, views, counts: entry.counts, used: entry.used }
  entry.counts = new Map()
  entry.used = new Set()
  entry.countedSince = undefined
  entry.countedBytes = 0
  return taken
}

/**
 * While views are being written, it is unknown whether the row that was read includes them: count on from the number that
 * was shown last. A row that was read before the write must not make the number go back either.
 */
function soFar(views: PendingViews, seen: Viewed, by: 0 | 1): number {
  const next = views.shown + by
  return views.writing > 0 ? next : Math.max(next, seen.views + views.counted)
}

const nameOf = ({ kind = 'file', id }: Viewed) => `${kind} ${id}`
