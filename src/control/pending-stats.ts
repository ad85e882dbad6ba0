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

interface SiteEntry {
  viewed: Map<string, PendingViews>
  isWriting: boolean
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

/** By id, how many views to add. */
export type ViewsToWrite = Readonly<Record<ViewedKind, ReadonlyMap<string, number>>>

/** Files and albums with views in memory, of all sites: some 200 bytes each. */
const mostViewed = 20_000

/** Longer than a request takes that has read the row before the views were written. */
const keptMs = 10_000

/**
 * What this process still has to write for sites: views, which are counted in memory so that a page does not wait for the
 * disk, and reports that failed. A kill loses the views of the last seconds; reports are reconciled at the next start.
 */
export class PendingStats {
  readonly #sites = new Map<number, SiteEntry>()
  readonly #mostViewed: number
  #viewed = 0
  #lost = 0

  constructor(limit = mostViewed) {
    this.#mostViewed = limit
  }

  /** Counts a view; returns the views so far. */
  addView(site: number, seen: Viewed): number {
    const { viewed } = this.#entry(site)
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

  /** Sites with something to write that no caller is writing. */
  dueSites(): number[] {
    this.#prune(keptMs)
    const due: number[] = []
    for (const [site, { isWriting, isUnreported, viewed }] of this.#sites) {
      if (isWriting) continue
      if (isUnreported || [...viewed.values()].some(({ counted }) => counted > 0)) due.push(site)
      else if (viewed.size === 0) this.#sites.delete(site)
    }
    return due
  }

  /** Hands over a site's views to be written; undefined if another caller is writing them, or there are none. */
  begin(site: number): ViewsToWrite | undefined {
    const entry = this.#sites.get(site)
    if (!entry || entry.isWriting) return undefined
    const due = { file: new Map<string, number>(), album: new Map<string, number>() }
    for (const views of entry.viewed.values()) {
      if (views.counted > 0) due[views.kind].set(views.id, views.counted)
      views.writing = views.counted
      views.counted = 0
    }
    entry.isWriting = true
    entry.isUnreported = false
    return due
  }

  /** Views that could not be written are counted again. Written views stay a little longer, for requests that read the row before. */
  end(site: number, isWritten: boolean): void {
    const entry = this.#sites.get(site)
    if (!entry) return
    for (const views of entry.viewed.values()) {
      if (!isWritten) views.counted += views.writing
      else if (views.writing > 0) views.writtenAt = performance.now()
      views.writing = 0
    }
    entry.isWriting = false
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
      entry = { viewed: new Map(), isWriting: false, isUnreported: false }
      this.#sites.set(site, entry)
    }
    return entry
  }
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
