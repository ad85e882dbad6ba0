import {
  type CountsByDay,
  type DoneName,
  dayAfter,
  dayOf,
  type LimitName,
  noTotals,
  type QuotaState,
  type StandingName,
  type Totals,
  totalNames,
} from '../../site/index.ts'
import type { Tenant } from '../tenants.ts'

/** What is summed for each day; of the storage, by how much it changed that day. */
const summedNames = [
  'uploads',
  'apiRequests',
  'serverErrors',
  'trafficBytes',
  'transforms',
  'storageUsed',
] as const satisfies readonly (DoneName | StandingName)[]

/** The day's number, then the counts in the order of `summedNames`: ten thousand tenants have a million such days, in 50 MB. */
const width = summedNames.length + 1

/** A tenant as far as the overview needs it. */
export interface OverviewTenant {
  id: string
  site: number
  isEnabled: boolean
  isInstalled: boolean
  planId: string | undefined
  stats: Totals
  /** Limits of its own levels; 0 is no limit. */
  limits: ReadonlyMap<LimitName, number>
  /** Of quotas that are used up, with the tenant that they may suspend. */
  overQuota: { tenant: Tenant; quotas: readonly QuotaState[] } | undefined
  /** No key decrypts its `env`, so it cannot be served. */
  isUnreadable: boolean
  /** From `daysFrom` on, in blocks of `width` numbers. */
  days: Float64Array
  /** The first day that was read; earlier ones stay as they are known. */
  daysFrom: string
}

const dayMs = 86_400_000
/** The same days come with every tenant, and their texts are read once. */
const dayNumbers = new Map<string, number>()

const numberOfDay = (day: string): number => {
  const known = dayNumbers.get(day)
  if (known !== undefined) return known
  const number = Date.parse(day) / dayMs
  dayNumbers.set(day, number)
  return number
}

/** Days as they are kept, of the text `["2026-11-19",{"uploads":1}],…`. */
export function packDays(joined: string): Float64Array {
  const rows = JSON.parse(`[${joined}]`) as readonly [day: string, counts: Readonly<Record<string, number>>][]
  const days = new Float64Array(rows.length * width)
  let at = 0
  for (const [day, counts] of rows) {
    days[at] = numberOfDay(day)
    for (const name of summedNames) {
      at += 1
      days[at] = counts[name] ?? 0
    }
    at += 1
  }
  return days
}

/** All tenants with the sums of their days. A tenant that changes is taken out of the sums and put in again. */
export class OverviewIndex {
  readonly #byId = new Map<string, OverviewTenant>()
  readonly #sites = new Set<number>()
  readonly #sums = new Map<number, Float64Array>()
  readonly totals: Totals = { ...noTotals }
  /** Rises with each change. */
  version = 0

  apply(changes: ReadonlyMap<string, OverviewTenant | undefined>): void {
    this.version += 1
    for (const [id, tenant] of changes) {
      const before = this.#byId.get(id)
      const after = tenant && withEarlierDays(tenant, before)
      if (before) this.#count(before, -1)
      if (after) this.#count(after, 1)
      if (before) this.#sites.delete(before.site)
      this.#byId.delete(id)
      if (after) {
        this.#byId.set(id, after)
        this.#sites.add(after.site)
      }
    }
  }

  #count({ stats, days }: OverviewTenant, sign: 1 | -1): void {
    for (const name of totalNames) this.totals[name] += sign * (stats[name] ?? 0)
    for (let at = 0; at < days.length; at += width) {
      const day = days[at] ?? 0
      const sum = this.#sums.get(day) ?? new Float64Array(summedNames.length)
      for (let index = 0; index < sum.length; index += 1)
        sum[index] = (sum[index] ?? 0) + sign * (days[at + 1 + index] ?? 0)
      this.#sums.set(day, sum)
    }
  }

  hasSite(site: number): boolean {
    return this.#sites.has(site)
  }

  tenants(): IterableIterator<OverviewTenant> {
    return this.#byId.values()
  }

  /** The sums of the days from this one on. */
  sumsFrom(first: string): CountsByDay {
    const from = numberOfDay(first)
    const found = new Map<string, Record<string, number>>()
    for (const [day, sum] of this.#sums)
      if (day >= from)
        found.set(
          dayOf(new Date(day * dayMs)),
          Object.fromEntries(summedNames.map((name, index) => [name, sum[index] ?? 0])),
        )
    return found
  }
}

function withEarlierDays(tenant: OverviewTenant, before: OverviewTenant | undefined): OverviewTenant {
  if (before?.site !== tenant.site || tenant.daysFrom <= before.daysFrom) return tenant
  const from = numberOfDay(tenant.daysFrom)
  const earlier: number[] = []
  for (let at = 0; at < before.days.length; at += width)
    if ((before.days[at] ?? 0) < from) earlier.push(...before.days.subarray(at, at + width))
  const days = new Float64Array(earlier.length + tenant.days.length)
  days.set(earlier)
  days.set(tenant.days, earlier.length)
  return { ...tenant, days, daysFrom: before.daysFrom }
}

/** What a tenant has done since a day. */
export function sumSince(
  { days }: OverviewTenant,
  first: string,
  name: (typeof summedNames)[number],
): number {
  const [from, index] = [numberOfDay(first), summedNames.indexOf(name)]
  let sum = 0
  for (let at = 0; at < days.length; at += width)
    if ((days[at] ?? 0) >= from) sum += days[at + 1 + index] ?? 0
  return sum
}

/** A day before yesterday is not written any more, but for what a killed server has left: that is read when the list is read anew. */
export const changingFrom = (now: Date): string => dayAfter(dayOf(now), -1)
