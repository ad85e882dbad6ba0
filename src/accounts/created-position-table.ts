import type { ExpressionBuilder } from 'kysely'
import type { SiteTables } from '../db/index.ts'

/** The last row of a page in a list by age: the next page begins after it. The id orders rows of the same time. */
export interface CreatedPosition {
  createdAt: string
  id: string
}

type ListedTable = 'user' | 'userKey' | 'session' | 'resumableUpload'

/** Rows behind a position of a list with the youngest first. Compared as a row, so that an index leads there. */
export const isCreatedBefore =
  ({ createdAt, id }: CreatedPosition) =>
  (eb: ExpressionBuilder<SiteTables, ListedTable>) =>
    eb(eb.refTuple('createdAt', 'id'), '<', eb.tuple(createdAt, id))
