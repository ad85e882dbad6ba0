import type { ControlDb } from '../../db/index.ts'
import { isId } from './field-rules.ts'

export interface PlanRow {
  id: string
  limits: string
  env: string | null
  createdAt: string
  updatedAt: string
}

const columns = ['id', 'limits', 'env', 'createdAt', 'updatedAt'] as const

/** False when the id is taken. */
export async function insertPlan(db: ControlDb, row: PlanRow & { idKey: string }): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('plan')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findPlan(db: ControlDb, id: string): Promise<PlanRow | undefined> {
  // PostgreSQL refuses a NUL in a text, and the id comes from a URL.
  if (!isId(id)) return undefined
  return db.selectFrom('plan').select(columns).where('id', '=', id).executeTakeFirst()
}

export function allPlans(db: ControlDb): Promise<PlanRow[]> {
  return db.selectFrom('plan').select(columns).orderBy('id').execute()
}

/** Which of these ids plans have. */
export async function knownPlanIds(db: ControlDb, ids: readonly string[]): Promise<Set<string>> {
  const asked = ids.filter(isId)
  if (asked.length === 0) return new Set()
  const rows = await db.selectFrom('plan').select('id').where('id', 'in', asked).execute()
  return new Set(rows.map(({ id }) => id))
}

export async function updatePlan(db: ControlDb, id: string, change: Partial<PlanRow>): Promise<void> {
  await db.updateTable('plan').set(change).where('id', '=', id).execute()
}

/** The foreign key sets the plan of its tenants to null. */
export async function deletePlanRow(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('plan').where('id', '=', id).execute()
}

/** A page of the plans whose `env` is encrypted with another key, in the order of ids. */
export function plansNotSealedBy(
  db: ControlDb,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; env: string }[]> {
  return db
    .selectFrom('plan')
    .select(['id', 'env'])
    .where('env', 'is not', null)
    .where('env', 'not like', `${keyId}.%`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ env: string }>()
    .execute()
}

/** How many tenants each plan has; a plan without any is left out. */
export async function countTenantsOfPlans(db: ControlDb): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('tenant')
    .select((eb) => ['planId', eb.fn.countAll<number>().as('count')])
    .where('planId', 'is not', null)
    .groupBy('planId')
    .$narrowType<{ planId: string }>()
    .execute()
  return new Map(rows.map(({ planId, count }) => [planId, Number(count)]))
}
