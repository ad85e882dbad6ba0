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
  /** At least of the days from `shownFrom` on. */
  days: CountsByDay
  /** What is there now. */
  standing: Partial<Record<StandingName, number>>
  /** Days before it have no row. */
  shownFrom: string
  today: string
}

export const noUsage: UsageRow['counts'] = Object.fromEntries(
  [...doneNames, ...standingNames].map((name) => [name, 0]),
) as Record<DayTotalName, number>

/** The days of the range that have a row, the first one first. */
function shownDays({ from, to }: UsageRange, { shownFrom, today }: Counted): string[] {
  const last = to < today ? to : today
  const days: string[] = []
  for (let day = from > shownFrom ? from : shownFrom; day <= last; day = dayAfter(day)) days.push(day)
  return days
}

/**
 * What is there at the end of each day: backwards from what is there now, because what was there before the first count is not
 * counted. What was counted on days to come, before the clock was set back, is there today.
 */
function* daysBackwards(range: UsageRange, counted: Counted): Generator<UsageRow> {
  const later = [...counted.days.keys()].sort().reverse()
  const standing = { ...noUsage, ...counted.standing }
  let next = 0
  for (const day of shownDays(range, counted).reverse()) {
    for (; day < counted.today && (later[next] ?? '') > day; next += 1) {
      const counts = counted.days.get(later[next] ?? '')
      for (const name of standingNames) standing[name] -= counts?.[name] ?? 0
    }
    const counts = { ...noUsage, ...counted.days.get(day) }
    for (const name of standingNames) counts[name] = Math.max(0, standing[name])
    yield { date: day, counts }
  }
}

/** The usage in the range, the first row first. */
export function usageRows(range: UsageRange, counted: Counted): UsageRow[] {
  const days = [...daysBackwards(range, counted)].reverse()
  if (range.step === 'day') return days
  if (range.step === 'total') return [sumOf(range.from, days)]
  const months = Map.groupBy(days, ({ date }) => `${date.slice(0, 7)}-01`)
  return [...months].map(([month, ofMonth]) => sumOf(month, ofMonth))
}

function sumOf(date: string, days: readonly UsageRow[]): UsageRow {
  const counts = { ...noUsage }
  for (const day of days) for (const name of doneNames) counts[name] += day.counts[name]
  for (const name of standingNames) counts[name] = days.at(-1)?.counts[name] ?? 0
  return { date, counts }
}
