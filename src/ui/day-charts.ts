import { type Html, html } from '../lib/html.ts'
import { type DayTotalName, standingNames, type UsageRow } from '../site/index.ts'
import { dayTag, writeNumber, writeSize } from '../words/format.ts'
import type { Language } from '../words/languages.ts'
import { linkChip, table } from './parts/lists.ts'
import type { Reader } from './reader.ts'

const dayRanges = [30, 90] as const

/** How many days the address asks for; thirty unless it names another range. */
export const dayCountIn = (query: URLSearchParams): number =>
  dayRanges.find((range) => String(range) === query.get('days')) ?? dayRanges[0]

export type DayColumn = readonly [
  name: DayTotalName,
  label: string,
  write: (language: Language, value: number) => string,
]

interface DayCharts {
  days: readonly UsageRow[]
  columns: readonly DayColumn[]
  /** Of the page, for its ranges. */
  path: string
  query: URLSearchParams
}

/** What was counted by day. The table is all there is without script; the island draws charts from it. */
export function dayCharts({ words, language }: Reader, { days, columns, path, query }: DayCharts): Html {
  const ranges = dayRanges.map((range) =>
    linkChip(
      words.chartDays(writeNumber(language, range)),
      range === dayRanges[0] ? path : `${path}?days=${range}`,
      range === dayCountIn(query),
    ),
  )
  const rows = days
    .toReversed()
    .map(({ date, counts }) => [
      dayTag(language, date),
      ...columns.map(
        ([name, , write]) => html`<data value="${counts[name]}">${write(language, counts[name])}</data>`,
      ),
    ])
  const numbers = columns.map(([, name]) => ({ name, isNumber: true }))
  return html`<nav class="chips" aria-label="${words.chartRange}">${ranges}</nav>
<div data-island="charts" data-hint="${words.chartHint}" data-kinds="${columns.map(kindOf).join(' ')}" class="days">
<div class="charts"></div>
<details class="day-numbers"><summary>${words.chartNumbers}</summary>${table(words.chartTitle, [{ name: words.chartDay }, ...numbers], rows)}</details>
</div>`
}

/** What the island draws: a level, which is there at the end of a day, as a line, and sizes with their unit. */
function kindOf([name, , write]: DayColumn): string {
  const kinds = [
    standingNames.some((each) => each === name) ? 'level' : 'count',
    ...(write === writeSize ? ['size'] : []),
  ]
  return kinds.join('-')
}
