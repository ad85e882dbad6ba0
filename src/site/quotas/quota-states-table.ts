import type { ExpressionBuilder, SqlBool } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../db/index.ts'
import type { QuotaState } from './quota-rules.ts'

const columns = ['name', 'month', 'percent', 'value', 'reachedAt', 'overAt', 'mails'] as const

const everyState = prepare((db) =>
  db.selectFrom('quotaState').select(columns).orderBy('name').orderBy('month'),
)

export async function quotaStatesOf(db: SiteDb): Promise<QuotaState[]> {
  return (await everyState.rows(db, {})) as QuotaState[]
}

export async function upsertQuotaState(db: SiteDb, state: QuotaState): Promise<void> {
  const { name: _, month: __, ...change } = state
  await db
    .insertInto('quotaState')
    .values(state)
    .onConflict((conflict) => conflict.columns(['name', 'month']).doUpdateSet(change))
    .execute()
}

/** The mails of every state, so that no other process sends them too. Under the lock of the totals. */
export async function updateToMailed(db: SiteDb): Promise<void> {
  await db.updateTable('quotaState').set({ mails: '' }).where('mails', '<>', '').execute()
}

export async function deleteQuotaStatesBefore(db: SiteDb, month: string): Promise<void> {
  await db.deleteFrom('quotaState').where('month', '<>', '').where('month', '<', month).execute()
}

/** Uploads that are not over: one whose file is being made stays so, whatever its time. */
export const isOpenUpload =
  (now: string) => (row: ExpressionBuilder<Pick<SiteTables, 'resumableUpload'>, 'resumableUpload'>) =>
    row.or([
      row('state', '=', 'finishing'),
      row.and([row('state', '=', 'open'), row('expiresAt', '>', now)]),
    ]) as ReturnType<typeof row.lit<SqlBool>>

const storage = prepare((db, { now }: Record<'now', never>) =>
  db.selectNoFrom((eb) => [
    eb.selectFrom('total').select('value').where('name', '=', 'storageUsed').as('stored'),
    eb
      .selectFrom('resumableUpload')
      .select((row) => row.fn.sum<number | null>('reservedBytes').as('bytes'))
      .where(isOpenUpload(now))
      .as('reserved'),
  ]),
)

/** What the files of the site take, and what unfinished uploads have reserved. */
export async function readStorageUsed(db: SiteDb, now: Date): Promise<{ stored: number; reserved: number }> {
  const [row] = await storage.rows(db, { now: now.toISOString() })
  return { stored: Number(row?.stored ?? 0), reserved: Number(row?.reserved ?? 0) }
}

type MonthlyName = 'trafficBytes' | 'transforms'

const monthSum = prepare((db, { name, month, next }: Record<'name' | 'month' | 'next', never>) =>
  db
    .selectFrom('dayTotal')
    .select((row) => row.fn.sum<number | null>('value').as('sum'))
    .where('name', '=', name)
    .where('day', '>=', month)
    .where('day', '<', next),
)

/** What was counted in a month (`YYYY-MM`). */
export async function sumOfMonth(db: SiteDb, name: MonthlyName, month: string): Promise<number> {
  // `-` comes before `.`: all days of the month, and none of the next.
  const [row] = await monthSum.rows(db, { name, month: `${month}-`, next: `${month}.` })
  return Number(row?.sum ?? 0)
}
