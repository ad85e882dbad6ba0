import { LruMap } from '../lib/lru.ts'
import {
  type CountsByDay,
  type DayTotalName,
  type DoneName,
  dayAfter,
  doneNames,
  type StandingName,
  standingNames,
  userDoneNames,
  userStandingNames,
} from './day-totals-table.ts'

export const usageSteps = ['day', 'month', 'total'] as const

export interface UsageRange {
  /** Days, both included. */
  from: string
  to: string
  step: (typeof usageSteps)[number]
}

/** What is counted, and in which order it is written. */
export interface UsageColumns {
  done: readonly DoneName[]
  standing: readonly StandingName[]
}

/** Failures are for operators alone. */
export const siteColumns: UsageColumns = {
  done: doneNames.filter((name) => name !== 'serverErrors'),
  standing: standingNames,
}
export const userColumns: UsageColumns = { done: userDoneNames, standing: userStandingNames }

export interface UsageRow {
  /** The day, the first day of the month, or the first day that was asked for. */
  date: string
  /** What was done, and what is there at the end. */
  counts: Readonly<Record<DayTotalName, number>>
}

interface Counted {
  /** At least of the days that are kept and asked for, and of those after them. */
  days: CountsByDay
  /** What is there now. */
  standing: Partial<Record<StandingName, number>>
  /** Days before it have no row, unless something was counted on them before the clock was set on. */
  createdOn: string
  /** Days before it have no row; the empty text if every day is kept. */
  keptFrom: string
  today: string
}

export const noUsage: UsageRow['counts'] = Object.fromEntries(
  [...doneNames, ...standingNames].map((name) => [name, 0]),
) as Record<DayTotalName, number>

/** The days of the range that have a row, the first one first. */
function shownDays({ from, to }: UsageRange, counted: Counted, firstCounted: string): readonly string[] {
  const { createdOn, keptFrom, today } = counted
  const first = firstCounted < createdOn ? firstCounted : createdOn
  return daysBetween(laterOf(from, laterOf(first, keptFrom)), to < today ? to : today)
}

/** Of days. */
export const laterOf = (one: string, other: string): string => (one > other ? one : other)

/** Of one range for a list of tenants, some of which were created within it. */
const knownDays = new LruMap<string, readonly string[]>(32)
const mostKnownDays = 1_000

/** Both days and those between them, the first one first. */
function daysBetween(first: string, last: string): readonly string[] {
  const name = `${first} ${last}`
  const known = knownDays.get(name)
  if (known) return known
  const days: string[] = []
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day)
  if (days.length <= mostKnownDays) knownDays.set(name, days)
  return days
}

/**
 * The usage in the range, the first row first. What is there at the end of each day is found backwards from what is there now,
 * because what was there before the first count is not counted. What was counted on days to come, before the clock was set
 * back, is there today.
 */
export function usageRows(range: UsageRange, counted: Counted): UsageRow[] {
  const later = [...counted.days.keys()].sort().reverse()
  const firstCounted = later.at(-1) ?? counted.createdOn
  const standing = { ...noUsage, ...counted.standing }
  const rows: UsageSum[] = []
  let row: UsageSum | undefined
  let next = 0
  for (const day of shownDays(range, counted, firstCounted).toReversed()) {
    for (; day < counted.today && (later[next] ?? '') > day; next += 1) {
      const counts = counted.days.get(later[next] ?? '')
      for (const name of standingNames) standing[name] -= counts?.[name] ?? 0
    }
    const date = dateOf(range, day)
    if (row?.date !== date) {
      row = { date, counts: endOf(standing) }
      rows.push(row)
    }
    const done = counted.days.get(day)
    if (done) for (const name of doneNames) row.counts[name] += done[name] ?? 0
  }
  if (range.step === 'total' && !row) rows.push({ date: range.from, counts: { ...noUsage } })
  return rows.reverse()
}

interface UsageSum extends UsageRow {
  counts: Record<DayTotalName, number>
}

/** Of the row that a day belongs to. */
function dateOf({ from, step }: UsageRange, day: string): string {
  if (step === 'day') return day
  return step === 'month' ? `${day.slice(0, 7)}-01` : from
}

function endOf(standing: UsageRow['counts']): UsageSum['counts'] {
  const counts = { ...noUsage }
  for (const name of standingNames) counts[name] = Math.max(0, standing[name])
  return counts
}
