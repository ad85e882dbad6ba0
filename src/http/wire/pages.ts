import { Type } from 'typebox'
import { orNull } from '../fields.ts'
import type { Answer } from '../responses/answer.ts'
import { type CursorList, type PagedCall, readCursor, writeCursor } from '../responses/cursors.ts'
import { yesNoParameter } from './query.ts'

/** A page of a list. */
export const PageOf = <T extends Parameters<typeof Type.Array>[0]>(entry: T) =>
  Type.Object({
    data: Type.Array(entry, { description: 'The entries of this page' }),
    next_cursor: orNull(Type.String(), 'For the next page; null at the end'),
  })

/** A page of a list that can be counted. */
export const CountedPageOf = <T extends Parameters<typeof Type.Array>[0]>(entry: T) =>
  Type.Object({
    ...PageOf(entry).properties,
    total: Type.Optional(
      Type.Object(
        {
          value: Type.Integer({ description: 'The number of entries, at most 10000' }),
          is_exact: Type.Boolean({ description: 'False if there are more' }),
        },
        { description: 'With `count=true`' },
      ),
    ),
  })

const writeTotal = (counted: number, most: number) => ({
  total: { value: Math.min(counted, most), is_exact: counted <= most },
})

const writePage = (data: readonly unknown[], next: string | undefined) => ({
  data,
  next_cursor: next ?? null,
})

/** The number of entries in a page for callers that name none. */
export const usualLimit = 50
const mostCounted = 10_000

/** The parameters of every list. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: usualLimit,
      description: 'Maximum number of entries in a page',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8_192,
      description: 'The `next_cursor` of the page before. It is valid for 24 hours.',
    }),
  ),
}

/** For lists that can count their entries. */
export const countParameter = {
  count: yesNoParameter(`\`true\` adds \`total\`, counted up to ${mostCounted}`),
}

interface PagedList<Row, Position> extends CursorList {
  /** Reads up to `limit` rows after a position. */
  read: (page: { after: Position | undefined; limit: number }) => Promise<readonly Row[]>
  /** Counts the rows of the whole list, but no further than `most`. */
  count?: (most: number) => Promise<number>
  positionOf: (row: Row) => Position
  write: (row: Row) => unknown
}

/** A page of a list. One row more is read than is sent, to know whether there is a next page. */
export async function answerPage<Row, Position>(
  call: PagedCall,
  { read, count, positionOf, write, ...list }: PagedList<Row, Position>,
): Promise<Answer> {
  const { limit = usualLimit, count: isCounted = false } = call.query as { limit?: number; count?: boolean }
  const rows = await read({ after: readCursor<Position>(call, list), limit: limit + 1 })
  const sent = rows.slice(0, limit)
  const last = rows.length > limit ? sent.at(-1) : undefined
  const next = last === undefined ? undefined : writeCursor(call, list, positionOf(last))
  const total = isCounted ? await count?.(mostCounted + 1) : undefined
  return {
    status: 200,
    body: { ...writePage(sent.map(write), next), ...(total !== undefined && writeTotal(total, mostCounted)) },
  }
}
