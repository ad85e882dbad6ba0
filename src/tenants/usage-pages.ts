import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Control } from '../control/index.ts'
import { coalesce } from '../lib/concurrency/coalesce.ts'
import { LruMap } from '../lib/lru.ts'
import { dayMs, dayOf, type UsageRange, type UsageRow } from '../site/index.ts'
import { type Changes, removedTenants, tenantsWithChanges } from './lists/changed-tenants-table.ts'
import { tenantPage, tenantsAtSites } from './lists/tenant-list.ts'
import type { TenantWithStats } from './tenants.ts'
import { usageOfTenants } from './usage.ts'

/** Where a page begins. */
export interface UsagePosition {
  /** The last tenant whose rows were all sent. */
  after: string
  /** The last row that was sent, if rows of its tenant are left. */
  last?: { tenant: string; date: string } | undefined
}

export interface AskedPage extends UsagePosition {
  range: UsageRange
  limit: number
  /** The parameters as they were given, which the cursor of the next page belongs to. */
  given: Readonly<Record<string, unknown>>
}

interface PageWriter {
  row(tenant: string, row: UsageRow): string
  /** The whole answer. It is kept for a day at most, and its cursor with it. */
  page(asked: AskedPage, rows: readonly string[], next: UsagePosition | undefined): Buffer
}

/** Those of 10,000 tenants at 200 rows a page. */
const mostPages = 64
/** A tenant can have rows for a hundred years: a page that was made of more rows than it needs is not kept. */
const mostKeptRows = 2_000
const dropAfterMs = 10 * 60_000

/**
 * Pages of the usage of all tenants by a key of what is asked, kept as text while they are asked for. Each read asks the database which tenants have
 * changed since the read before, and writes the rows of these alone: counts of today are in the next read at every server.
 */
export function usagePagesOf(
  control: Control,
  write: PageWriter,
): (asked: AskedPage, key: string) => Promise<Buffer> {
  const pages = new LruMap<string, PageReader>(mostPages)
  let dropTimer: NodeJS.Timeout | undefined

  const drop = () => {
    pages.clear()
    dropTimer = undefined
  }

  return async (asked, key) => {
    if (dropTimer) dropTimer.refresh()
    else dropTimer = setTimeout(drop, dropAfterMs).unref()
    const known = pages.get(key)
    const reader = known ?? new PageReader(control, asked, write)
    if (!known) pages.set(key, reader)
    const { page, rowCount } = await reader.read()
    if (rowCount > mostKeptRows) pages.delete(key)
    return page
  }
}

interface WrittenTenant {
  id: string
  /** Without those that an earlier page had. */
  rows: readonly { date: string; text: string }[]
}

interface Kept {
  page: Buffer
  /** By id, in the order of ids: those of the page, and the first one that it has no room for. */
  tenants: Map<string, WrittenTenant>
  /** Whether no tenant comes behind them. */
  isEnd: boolean
  rowCount: number
}

interface Moment {
  /** Where the next changes begin. */
  from: number
  /** While it is the same, changes of tenants tell all that is different: no other day, and no other values of plans. */
  state: string
}

class PageReader {
  readonly #control: Control
  readonly #asked: AskedPage
  readonly #write: PageWriter
  readonly #refresh: (nothing: undefined) => Promise<void>
  #kept: (Kept & Moment) | undefined

  constructor(control: Control, asked: AskedPage, write: PageWriter) {
    this.#control = control
    this.#asked = asked
    this.#write = write
    this.#refresh = coalesce(async () => {
      this.#kept = await this.#current(this.#kept)
    })
  }

  async read(): Promise<Kept> {
    await this.#refresh(undefined)
    if (!this.#kept) throw new Error('A refreshed page is there.')
    return this.#kept
  }

  async #current(kept: (Kept & Moment) | undefined): Promise<Kept & Moment> {
    const { store, clock } = this.#control
    const now = clock.now()
    await store.whenCurrent()
    const version = store.controlVersion()
    const { from, until, history } = await store.changeWindow()
    const moment = { from, state: JSON.stringify([dayOf(now), version, history]) }
    const known =
      kept?.state === moment.state ? await this.#changed(kept, { from: kept.from, until }, now) : undefined
    return { ...(known ?? (await this.#whole(now))), ...moment }
  }

  /** Undefined if the page has other tenants now, or other rows of them than those that are known. */
  async #changed(kept: Kept, changes: Changes, now: Date): Promise<Kept | undefined> {
    if (changes.from === changes.until) return kept
    const { control: db } = this.#control.store
    const last = kept.isEnd ? undefined : [...kept.tenants.keys()].at(-1)
    const isOfPage = (id: string) => id > this.#asked.after && (last === undefined || id <= last)
    if ((await removedTenants(db, changes)).some(isOfPage)) return undefined
    const changed = (await tenantsWithChanges(db, changes)).filter(({ id }) => isOfPage(id))
    if (changed.length === 0) return kept
    if (changed.some(({ id }) => !kept.tenants.has(id))) return undefined
    const sites = changed.map(({ site }) => site)
    for (const tenant of await this.#written(await tenantsAtSites(this.#control, sites), now))
      kept.tenants.set(tenant.id, tenant)
    return this.#made(kept.tenants, kept.isEnd)
  }

  /** Reads as many tenants as the page needs, and not many more. */
  async #whole(now: Date): Promise<Kept> {
    const { range, limit, after } = this.#asked
    const tenants = new Map<string, WrittenTenant>()
    let [last, rowCount] = [after, 0]
    for (;;) {
      const rowsOfEach = tenants.size > 0 ? rowCount / tenants.size : rowsAtMost(range, now)
      const atOnce = Math.max(1, Math.min(mostAtOnce, Math.ceil((limit + 1 - rowCount) / rowsOfEach)))
      const found = await tenantPage(this.#control, { after: last, limit: atOnce })
      for (const tenant of await this.#written(found, now)) {
        tenants.set(tenant.id, tenant)
        rowCount += tenant.rows.length
      }
      last = found.at(-1)?.id ?? last
      const isEnd = found.length < atOnce
      const made = isEnd || rowCount > limit ? this.#made(tenants, isEnd) : undefined
      if (made) return made
      // SQLite answers without a pause: other requests get their turn.
      await nextTurn()
    }
  }

  async #written(tenants: readonly TenantWithStats[], now: Date): Promise<WrittenTenant[]> {
    const { range, last } = this.#asked
    const usages = await usageOfTenants(this.#control, tenants, range, now)
    return usages.map(({ tenant, rows }) => ({
      id: tenant,
      rows: rows
        .filter(({ date }) => tenant !== last?.tenant || date > last.date)
        .map((row) => ({ date: row.date, text: this.#write.row(tenant, row) })),
    }))
  }

  /** Undefined if rows are missing to fill the page. */
  #made(tenants: Map<string, WrittenTenant>, isEnd: boolean): Kept | undefined {
    const { limit } = this.#asked
    const texts: string[] = []
    let next: UsagePosition | undefined
    let { after, last } = this.#asked
    let rowCount = 0
    for (const { id, rows } of tenants.values()) {
      rowCount += rows.length
      if (next) continue
      for (const { date, text } of rows) {
        if (texts.length === limit) {
          next = { after, last }
          break
        }
        texts.push(text)
        last = { tenant: id, date }
      }
      after = id
    }
    if (!next && !isEnd) return undefined
    return { page: this.#write.page(this.#asked, texts, next), tenants, isEnd, rowCount }
  }
}

const mostAtOnce = 100

const rowsAtMost = ({ from, to, step }: UsageRange, now: Date): number => {
  if (step === 'total') return 1
  const today = dayOf(now)
  const days = (Date.parse(to < today ? to : today) - Date.parse(from)) / dayMs + 1
  return Math.max(1, step === 'day' ? days : Math.ceil(days / 31))
}
