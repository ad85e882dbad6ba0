import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { orNull } from '../../http/fields.ts'
import { openControlCursor, writeControlCursor } from '../../http/responses/cursors.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import { pageParameters } from '../../http/wire/pages.ts'
import {
  csvFile,
  readUsageQuery,
  UsageObject,
  UsageRowObject,
  usageCsv,
  usageCsvHead,
  usageCsvLine,
  usageParameters,
  usageRowWriter,
  writeUsage,
} from '../../http/wire/usage.ts'
import { type Fault, faultOf } from '../../lib/faults.ts'
import { LruMap } from '../../lib/lru.ts'
import { invalidFields } from '../../lib/refusal.ts'
import { dayOf, siteColumns, type UsageRange } from '../../site/index.ts'
import {
  type AskedPage,
  listUsage,
  readTenantUsage,
  type UsagePosition,
  usagePagesOf,
} from '../../tenants/index.ts'
import { queryOf, refusedQuery } from './query.ts'
import { noSuchTenant, signedRefusals } from './responses.ts'
import { idOf, ofTenant } from './wire.ts'

const csvAlternative = { 'text/csv': 'With `format=csv`: a line of names, then one line for each row.' }

const badQuery = refusedQuery({ ...faultOf('from', 'day'), in: 'query' })

const TenantUsageQuery = Type.Object(usageParameters)

export const getTenantUsage: Endpoint = {
  tag: 'Tenants',
  summary: 'Read the usage of a tenant by day',
  description:
    'What was done on each day in UTC, and what was there at its end. Days before the tenant was ' +
    'created, days to come, and days that are older than `SERVICE_USAGE_DAYS` are left out.',
  access: 'signed',
  params: ofTenant,
  query: TenantUsageQuery,
  responses: {
    200: { description: 'The usage.', schema: UsageObject(siteColumns), alternatives: csvAlternative },
    ...signedRefusals,
    400: badQuery,
    404: noSuchTenant,
  },
  handle: () => async (request, reply) => {
    const values = queryOf(TenantUsageQuery, request)
    const { range, isCsv } = readUsageQuery(values, request.control.clock.now())
    const rows = await readTenantUsage(request.control, idOf(request), range)
    return isCsv
      ? sendLines(request, reply, usageCsv(siteColumns, rows))
      : writeUsage(range, siteColumns, rows)
  },
}

const AllUsageQuery = Type.Object({
  ...usageParameters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 200, description: 'At most this many rows' }),
  ),
  cursor: pageParameters.cursor,
})

const TenantUsageRow = Type.Object({
  tenant: Type.String({ description: 'The id of the tenant' }),
  ...UsageRowObject(siteColumns).properties,
})

export const getAllUsage: Endpoint = {
  tag: 'Tenants',
  summary: 'Read the usage of all tenants by day',
  description:
    'The rows of all tenants, by tenant and date, a page at a time; with `format=csv` all of them. ' +
    'With `step=total` every tenant has one row.',
  access: 'signed',
  query: AllUsageQuery,
  responses: {
    200: {
      description: 'A page of the usage.',
      schema: Type.Object({
        ...UsageObject(siteColumns).properties,
        data: Type.Array(TenantUsageRow, { description: 'The rows, by tenant and date' }),
        next_cursor: orNull(Type.String(), 'For the next page; null at the end'),
      }),
      alternatives: csvAlternative,
    },
    ...signedRefusals,
    400: badQuery,
  },
  handle: sendAllUsage,
}

function sendAllUsage(app: App) {
  const readPage = usagePagesOf(app.control, {
    row: usageRowWriter(siteColumns),
    page({ range, given }, rows, next) {
      const nextCursor = next ? writeControlCursor(app, listOf(given), next, { isKeptForDay: true }) : null
      const head = JSON.stringify(range).slice(0, -1)
      return Buffer.from(`${head},"data":[${rows.join()}],"next_cursor":${JSON.stringify(nextCursor)}}`)
    },
  })
  const known = new LruMap<string, KnownAddress>(mostKnownAddresses)

  function askedBy(request: FastifyRequest, now: Date): KnownAddress | { csvOf: UsageRange } {
    const values = queryOf(AllUsageQuery, request)
    const { range, isCsv } = readUsageQuery(values, now)
    const { limit, cursor, ...given } = values as { limit?: number; cursor?: string }
    if (isCsv) {
      checkNoPage({ limit, cursor })
      return { csvOf: range }
    }
    const { position = { after: '' }, endsAt = Number.POSITIVE_INFINITY } =
      openControlCursor<UsagePosition>(app, listOf(given), cursor) ?? {}
    const page: AskedPage = { range, limit: limit ?? 200, given, ...position }
    return { day: dayOf(now), endsAt, page, key: JSON.stringify(page) }
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const now = request.control.clock.now()
    const last = known.get(request.url)
    const isSame = last?.day === dayOf(now) && now.getTime() < last.endsAt
    const asked = isSame ? last : askedBy(request, now)
    if ('csvOf' in asked) return sendLines(request, reply, { ...csvFile, chunks: csvOf(app, asked.csvOf) })
    if (!isSame) known.set(request.url, asked)
    const page = await readPage(asked.page, asked.key)
    return reply.header('content-type', 'application/json; charset=utf-8').send(page)
  }
}

/** What a request asked for, by its address: to read the query and the cursor again costs a tenth of an answer. */
interface KnownAddress {
  /** The range may depend on it. */
  day: string
  /** The cursor's. */
  endsAt: number
  page: AskedPage
  key: string
}

const mostKnownAddresses = 64

const listOf = (given: AskedPage['given']) => ({ list: 'usage', sort: 'tenant', filter: given })

/** A CSV is never a page. */
function checkNoPage(given: { limit?: number | undefined; cursor?: string | undefined }): void {
  const faults = Object.entries(given).flatMap(([name, value]): Fault[] =>
    value === undefined ? [] : [{ ...faultOf(name, 'onlyWithJson'), in: 'query' }],
  )
  if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
}

async function* csvOf({ control }: App, range: UsageRange) {
  yield usageCsvHead(siteColumns, ['tenant'])
  for await (const usages of listUsage(control, range, { after: '' }))
    yield usages
      .flatMap(({ tenant, rows }) => rows.map((row) => usageCsvLine(siteColumns, row, [tenant])))
      .join('')
}
