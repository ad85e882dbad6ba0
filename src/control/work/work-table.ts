import type { ControlDb, ControlTables } from '../../db/index.ts'

export type WorkRow = ControlTables['work']

export async function insertWork(db: ControlDb, row: WorkRow): Promise<void> {
  await db.insertInto('work').values(row).execute()
}

export function findWork(db: ControlDb, id: string): Promise<WorkRow | undefined> {
  return db.selectFrom('work').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The newest first. */
export function newestWork(db: ControlDb, kind: WorkRow['kind'], limit: number): Promise<WorkRow[]> {
  return db
    .selectFrom('work')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** The newest that has come to its end. */
export function lastDoneWork(db: ControlDb, kind: WorkRow['kind']): Promise<WorkRow | undefined> {
  return db
    .selectFrom('work')
    .selectAll()
    .where('kind', '=', kind)
    .where('state', '=', 'done')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** What no process has finished yet, the oldest first. */
export function unfinishedWork(db: ControlDb, kind: WorkRow['kind']): Promise<WorkRow[]> {
  return db
    .selectFrom('work')
    .selectAll()
    .where('finishedAt', 'is', null)
    .where('kind', '=', kind)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function hasUnfinishedWork(db: ControlDb): Promise<boolean> {
  const query = db.selectFrom('work').select('id').where('finishedAt', 'is', null).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export async function countUnfinishedWork(db: ControlDb, kind: WorkRow['kind']): Promise<number> {
  const row = await db
    .selectFrom('work')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('finishedAt', 'is', null)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Of each target the last work counts: what was repeated needs no attention. */
export async function targetsOfFailedWork(db: ControlDb, kind: WorkRow['kind']): Promise<string[]> {
  const rows = await db
    .selectFrom('work')
    .select('target')
    .where('kind', '=', kind)
    .where('state', '=', 'failed')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('work as later')
            .select('later.id')
            .where('later.kind', '=', kind)
            .whereRef('later.target', '=', 'work.target')
            .whereRef('later.createdAt', '>', 'work.createdAt'),
        ),
      ),
    )
    .orderBy('target')
    .execute()
  return rows.map(({ target }) => target)
}

/** One try by one process. */
export type WorkTry = Pick<WorkRow, 'id' | 'tries'>

/** Takes it, unless another process has taken it since it was read. */
export async function takeWork(
  db: ControlDb,
  { id, tries }: WorkTry,
  lease: Pick<WorkRow, 'leasedBy' | 'leasedUntil' | 'losses' | 'startedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('work')
    .set({ ...lease, state: 'running', tries: tries + 1 })
    .where('id', '=', id)
    .where('tries', '=', tries)
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Who has cancelled it, if anybody; undefined if the try is over, because another process has taken the work. */
export async function updateWork(
  db: ControlDb,
  { id, tries }: WorkTry,
  change: Partial<WorkRow>,
): Promise<Pick<WorkRow, 'cancelledBy'> | undefined> {
  return db
    .updateTable('work')
    .set(change)
    .where('id', '=', id)
    .where('tries', '=', tries)
    .where('state', '=', 'running')
    .returning('cancelledBy')
    .executeTakeFirst()
}

/** Locks the row until the transaction ends, so that no process takes the work meanwhile; undefined if it has ended. */
export async function markCancelled(
  db: ControlDb,
  id: string,
  cancelledBy: string,
): Promise<WorkRow | undefined> {
  return db
    .updateTable('work')
    .set((eb) => ({ cancelledBy: eb.fn.coalesce('cancelledBy', eb.val(cancelledBy)) }))
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** For what no process has taken yet. */
export async function endWaitingWork(
  db: ControlDb,
  id: string,
  end: Pick<WorkRow, 'state' | 'finishedAt'>,
): Promise<void> {
  await db.updateTable('work').set(end).where('id', '=', id).execute()
}

/** Deletes what has ended, but for the newest rows of the kind. */
export async function deleteOldWork(db: ControlDb, kind: WorkRow['kind'], kept: number): Promise<void> {
  const newest = db
    .selectFrom('work')
    .select('id')
    .where('kind', '=', kind)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(kept)
  await db
    .deleteFrom('work')
    .where('kind', '=', kind)
    .where('finishedAt', 'is not', null)
    .where('id', 'not in', newest)
    .execute()
}
