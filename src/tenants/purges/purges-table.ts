import type { ControlDb, ControlTables } from '../../db/index.ts'

export type PurgeRow = ControlTables['waitingPurge']

/** Rows that are there already are left as they are: a relay that was stopped is repeated. */
export async function insertPurges(db: ControlDb, rows: readonly PurgeRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('waitingPurge')
    .values([...rows])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

interface Taking {
  now: Date
  /** Until when no other server tries it. */
  until: Date
  /** Tenants that others go before. */
  busy: readonly string[]
}

/** No attempt is planned so far ahead: the clock was set back. */
const mostAheadMs = 2 * 3_600_000

/** Takes the purge that is due for longest, of a tenant that none is being sent for, if there is one. */
export async function takePurge(db: ControlDb, { now, until, busy }: Taking): Promise<PurgeRow | undefined> {
  for (;;) {
    const due = (besides: readonly string[]) => findDue(db, { now, besides })
    const found = (await due(busy)) ?? (busy.length > 0 ? await due([]) : undefined)
    if (!found) return undefined
    const taken = await db
      .updateTable('waitingPurge')
      .set((row) => ({
        nextAt: until.toISOString(),
        attempts: row('attempts', '+', 1),
        triedAt: row.fn.coalesce('triedAt', row.val(now.toISOString())),
      }))
      .where('id', '=', found.id)
      .where('nextAt', '=', found.nextAt)
      .returningAll()
      .executeTakeFirst()
    // Else another server was faster.
    if (taken) return taken
  }
}

function findDue(db: ControlDb, { now, besides }: { now: Date; besides: readonly string[] }) {
  const tooFar = new Date(now.getTime() + mostAheadMs).toISOString()
  return db
    .selectFrom('waitingPurge')
    .select(['id', 'nextAt'])
    .where((eb) => eb.or([eb('nextAt', '<=', now.toISOString()), eb('nextAt', '>', tooFar)]))
    .$if(besides.length > 0, (query) => query.where('tenantId', 'not in', besides))
    .orderBy('nextAt')
    .limit(1)
    .executeTakeFirst()
}

/** Unless another server has taken it meanwhile, because this one was slow. */
export async function updatePurge(
  db: ControlDb,
  { id, attempts }: PurgeRow,
  change: Pick<PurgeRow, 'nextAt' | 'fault'>,
): Promise<void> {
  await db
    .updateTable('waitingPurge')
    .set(change)
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

export async function deletePurge(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('waitingPurge').where('id', '=', id).execute()
}

/** Every purge is due now. */
export async function updateAllDue(db: ControlDb, now: Date): Promise<void> {
  const at = now.toISOString()
  await db.updateTable('waitingPurge').set({ nextAt: at }).where('nextAt', '>', at).execute()
}

export async function countPurges(db: ControlDb): Promise<number> {
  const row = await db
    .selectFrom('waitingPurge')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Those that have failed, the one that was first tried longest ago first. */
export const failingPurges = (db: ControlDb, limit: number): Promise<PurgeRow[]> =>
  db
    .selectFrom('waitingPurge')
    .selectAll()
    .where('fault', 'is not', null)
    .orderBy('triedAt')
    .limit(limit)
    .execute()
