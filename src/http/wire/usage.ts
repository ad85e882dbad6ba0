import { Type } from 'typebox'
import { broken, type Fault, faultOf } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'
import { isDay } from '../../lib/times.ts'
import {
  type DayTotalName,
  dayAfter,
  dayOf,
  type UsageColumns,
  type UsageRange,
  type UsageRow,
  usageSteps,
} from '../../site/index.ts'
import type { Lines } from '../responses/send-lines.ts'

export const usageFormats = ['json', 'csv'] as const

/** The columns by their names in the API. */
const described = {
  uploads: ['uploads', 'Files that were uploaded or replaced'],
  uploadBytes: ['upload_bytes', 'Their bytes, as they were sent'],
  downloads: ['downloads', 'Answers with a file as it was uploaded, from its first byte on'],
  trafficBytes: ['traffic_bytes', 'Bytes of files and their variants that were sent'],
  views: ['views', 'Views of the pages of files'],
  transforms: ['transforms', 'Variants that were made on request'],
  transformMs: ['transform_ms', 'Milliseconds that this took'],
  transformHits: ['transform_hits', 'Variants on request that were there already'],
  apiRequests: ['api_requests', 'Requests to the APIs, without those that a rate refused'],
  serverErrors: ['server_errors', 'Requests that failed at a server'],
  files: ['files', 'Files at the end, without the trash'],
  storageUsed: ['storage_bytes', 'Stored bytes at the end'],
  derivedBytes: ['derived_bytes', 'Bytes of variants made on request, at the end'],
  users: ['users', 'Users at the end'],
} as const satisfies Record<DayTotalName, readonly [string, string]>

const namesOf = ({ done, standing }: UsageColumns): readonly DayTotalName[] => [...done, ...standing]

export const UsageRowObject = (columns: UsageColumns) =>
  Type.Object({
    date: Type.String({ description: 'The day; the first day of a month or of the range' }),
    ...Object.fromEntries(
      namesOf(columns).map((name) => [described[name][0], Type.Integer({ description: described[name][1] })]),
    ),
  })

export const UsageObject = (columns: UsageColumns) =>
  Type.Object({
    from: Type.String({ description: 'The first day' }),
    to: Type.String({ description: 'The last day' }),
    step: Type.String({ enum: [...usageSteps], description: 'What a row is about' }),
    data: Type.Array(UsageRowObject(columns), { description: 'The rows, by date' }),
  })

const Day = (description: string) =>
  Type.String({
    format: 'date',
    maxLength: 10,
    pattern: '^\\d{4}-\\d\\d-\\d\\d$',
    'x-rule': broken('day'),
    description,
  })

/** The parameters of every address that tells usage. */
export const usageParameters = {
  from: Type.Optional(Day('The first day in UTC; by default 29 days before `to`')),
  to: Type.Optional(Day('The last day in UTC; today by default')),
  step: Type.Optional(
    Type.String({
      enum: [...usageSteps],
      default: 'day',
      description: 'One row for each day or month, or one in all',
    }),
  ),
  format: Type.Optional(
    Type.String({ enum: [...usageFormats], default: 'json', description: 'The format of the answer' }),
  ),
}

export interface UsageQuery {
  range: UsageRange
  isCsv: boolean
}

const usualDays = 30

/** Of the days that have four digits for the year. */
const firstOfAll = '0000-01-01'

/** Reads what the schema has let through: days must be days of the calendar, in order. */
export function readUsageQuery(query: Readonly<Record<string, unknown>>, now: Date): UsageQuery {
  const { from, to, step = 'day', format } = query as { [Name in keyof typeof usageParameters]?: string }
  const faults = Object.entries({ from, to }).flatMap(([name, day]): Fault[] =>
    day === undefined || isDay(day) ? [] : [{ ...faultOf(name, 'day'), in: 'query' }],
  )
  if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
  const range = usageRangeOf({ from, to, step: step as UsageRange['step'] }, now)
  if (range.from > range.to)
    throw invalidFields([{ ...faultOf('from', 'dayOrder'), in: 'query' }], 'invalid-fields')
  return { range, isCsv: format === 'csv' }
}

/** The last 30 days, unless other days are given. */
export function usageRangeOf(
  { from, to, step }: { from?: string | undefined; to?: string | undefined; step: UsageRange['step'] },
  now: Date,
): UsageRange {
  const last = to ?? dayOf(now)
  const first = dayAfter(last, 1 - usualDays)
  return { from: from ?? (first < firstOfAll ? firstOfAll : first), to: last, step }
}

export const writeUsageRow = (columns: UsageColumns, { date, counts }: UsageRow) => ({
  date,
  ...Object.fromEntries(namesOf(columns).map((name) => [described[name][0], counts[name]])),
})

/** The row of a tenant as JSON, for long lists. */
export function usageRowWriter(columns: UsageColumns): (tenant: string, row: UsageRow) => string {
  const named = namesOf(columns).map((name) => ({ name, before: `,"${described[name][0]}":` }))
  return (tenant, { date, counts }) => {
    let text = `{"tenant":"${tenant}","date":"${date}"`
    for (const { name, before } of named) text += before + counts[name]
    return `${text}}`
  }
}

export const writeUsage = (
  { from, to, step }: UsageRange,
  columns: UsageColumns,
  rows: readonly UsageRow[],
) => ({
  from,
  to,
  step,
  data: rows.map((row) => writeUsageRow(columns, row)),
})

/** The line of names, or of a row. */
export const usageCsvHead = (columns: UsageColumns, first: readonly string[] = []): string =>
  `${[...first, 'date', ...namesOf(columns).map((name) => described[name][0])].join()}\n`

export const usageCsvLine = (
  columns: UsageColumns,
  { date, counts }: UsageRow,
  first: readonly string[] = [],
): string => `${[...first, date, ...namesOf(columns).map((name) => counts[name])].join()}\n`

export const csvFile = { contentType: 'text/csv; charset=utf-8', filename: 'usage.csv' }

/** The rows of one site or user as CSV. */
export const usageCsv = (columns: UsageColumns, rows: readonly UsageRow[]): Lines => ({
  ...csvFile,
  chunks: (async function* () {
    yield usageCsvHead(columns)
    yield rows.map((row) => usageCsvLine(columns, row)).join('')
  })(),
})
