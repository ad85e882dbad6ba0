import { type Html, html } from '../../lib/html.ts'
import { type Day, type DayRange, dayRanges } from '../../media/index.ts'
import { dayTag, writeNumber, writeSize } from '../../words/format.ts'
import type { PageCall } from '../page-call.ts'
import { linkChip } from '../parts/lists/chip.ts'
import { table } from '../parts/lists.ts'
import { dashboardSection } from './dashboard-frame.ts'

/** Uploads, storage and views by day. The table is all there is without script; the island draws charts from it. */
export function daysSection({ reader: { words, language } }: PageCall, days: readonly Day[]): Html {
  const ranges = dayRanges.map((range) =>
    linkChip(
      words.chartDays(writeNumber(language, range)),
      range === dayRanges[0] ? '/dashboard' : `/dashboard?days=${range}`,
      range === days.length,
    ),
  )
  const cell = (value: number | undefined, text: string) => html`<data value="${value ?? ''}">${text}</data>`
  const rows = days
    .toReversed()
    .map(({ day, uploads, storageUsed, views }) => [
      dayTag(language, day),
      cell(uploads, writeNumber(language, uploads)),
      cell(storageUsed, writeSize(language, storageUsed)),
      cell(views, views === undefined ? '–' : writeNumber(language, views)),
    ])
  const numbers = [words.chartUploads, words.storage, words.chartViews].map((name) => ({
    name,
    isNumber: true,
  }))
  const since = days.find(({ views }) => views !== undefined)?.day
  const note =
    since === undefined || since === days[0]?.day
      ? undefined
      : html`<p class="soft">${words.chartViewsSince} ${dayTag(language, since)}</p>`
  return dashboardSection(
    words.chartTitle,
    html`<nav class="chips" aria-label="${words.chartRange}">${ranges}</nav>
<div data-island="charts" data-hint="${words.chartHint}" class="days">
<div class="charts"></div>
<details open class="day-numbers"><summary>${words.chartNumbers}</summary>${table(words.chartTitle, [{ name: words.chartDay }, ...numbers], rows)}</details>
</div>${note}`,
  )
}

/** Thirty days unless the address names another range. */
export const rangeIn = ({ query }: PageCall): DayRange =>
  dayRanges.find((range) => String(range) === query.get('days')) ?? dayRanges[0]
