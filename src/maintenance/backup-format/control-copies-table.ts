import type { ControlDb, ControlTables } from '../../db/index.ts'

export type PlanCopy = ControlTables['plan']
export type TenantCopy = Omit<ControlTables['tenant'], 'site' | 'changedIn'>

export interface KeyCopy {
  id: number
  name: string | null
  secretHash: string
  createdAt: string
  expiresAt: string | null
}

export const allPlanCopies = (db: ControlDb): Promise<PlanCopy[]> =>
  db.selectFrom('plan').selectAll().orderBy('id').execute()

export const allKeyCopies = (db: ControlDb): Promise<KeyCopy[]> =>
  db.selectFrom('controlKey').selectAll().orderBy('id').execute()

export async function findTenantCopy(db: ControlDb, site: number): Promise<TenantCopy | undefined> {
  const row = await db.selectFrom('tenant').selectAll().where('site', '=', site).executeTakeFirst()
  if (!row) return undefined
  const { site: _, changedIn: __, ...copy } = row
  return copy
}

/** False if there is already a plan with this id. */
export async function insertPlanCopy(db: ControlDb, plan: PlanCopy): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('plan')
    .values(plan)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** A management key contains its row id, so the id must be restored; the next new key gets a higher one. */
export async function insertKeyCopies(
  db: ControlDb,
  keys: readonly KeyCopy[],
  kind: 'sqlite' | 'postgres',
): Promise<void> {
  const last = keys.at(-1)
  if (!last) return
  await db
    .insertInto('controlKey')
    .values([...keys])
    .execute()
  if (kind === 'sqlite') return
  await raiseSequence(db, 'controlKey', 'id', last.id)
}

export async function hasPlan(db: ControlDb, id: string): Promise<boolean> {
  return (await db.selectFrom('plan').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** What prevents the restore of a tenant: its id or hostname is taken, or a site with its id is kept. */
export async function findObstacle(
  db: ControlDb,
  { idKey, hostname }: { idKey: string; hostname?: string | undefined },
): Promise<'id' | 'hostname' | 'kept' | undefined> {
  const tenants = await db
    .selectFrom('tenant')
    .select(['idKey', 'hostname'])
    .where((eb) => eb.or([eb('idKey', '=', idKey), eb('hostname', '=', hostname ?? '')]))
    .execute()
  if (tenants.some((tenant) => tenant.idKey === idKey)) return 'id'
  if (tenants.length > 0) return 'hostname'
  const query = db
    .selectFrom('site')
    .select('number')
    .where('idKey', '=', idKey)
    .where('state', '<>', 'dropping')
  return (await query.executeTakeFirst()) ? 'kept' : undefined
}

/** The kind of a row that the installation has; undefined if it is empty. */
export async function findContent(db: ControlDb): Promise<string | undefined> {
  for (const table of ['tenant', 'site', 'plan', 'controlKey', 'operator'] as const) {
    const row = await db
      .selectFrom(table)
      .select((eb) => eb.lit(1).as('one'))
      .limit(1)
      .executeTakeFirst()
    if (row) return table === 'controlKey' ? 'management key' : table
  }
  return undefined
}

/** Not a valid id: no tenant can take a site while it is being restored. */
export const unfinishedKey = (idKey: string) => `restoring ${idKey}`

interface NewSite {
  idKey: string
  stats: string
  /** The number that it had: keys of the site derive from it. Undefined if the sites of an installation in use have their own. */
  number: number | undefined
}

/** The number of the site that an interrupted restore has started to fill, or of a new one. */
export async function takeUnfinishedSite(
  db: ControlDb,
  { idKey, stats, number: wanted }: NewSite,
  kind: 'sqlite' | 'postgres',
): Promise<number> {
  const started = await db
    .selectFrom('site')
    .select('number')
    .where('idKey', '=', unfinishedKey(idKey))
    .executeTakeFirst()
  if (started) return started.number
  const { number } = await db
    .insertInto('site')
    .values({
      idKey: unfinishedKey(idKey),
      state: 'kept',
      installedAt: null,
      stats,
      ...(wanted !== undefined && { number: wanted }),
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  if (wanted !== undefined && kind === 'postgres') await raiseSequence(db, 'site', 'number', number)
  return number
}

/** The next row gets a higher number than this one, which was given and not taken from the sequence. */
async function raiseSequence(db: ControlDb, table: string, column: string, number: number): Promise<void> {
  await db
    .selectNoFrom((eb) => {
      const sequence = eb.fn<string>('pg_get_serial_sequence', [eb.val(`"${table}"`), eb.val(column)])
      const value = eb.fn<bigint>('greatest', [
        eb.fn('nextval', [sequence]),
        eb.cast(eb.val(number), 'bigint'),
      ])
      return eb.fn('setval', [sequence, value]).as('set')
    })
    .execute()
}

/** False if another process has finished the site. */
export async function isUnfinished(db: ControlDb, number: number): Promise<boolean> {
  const row = await db.selectFrom('site').select('idKey').where('number', '=', number).executeTakeFirst()
  return row?.idKey.startsWith(unfinishedKey('')) === true
}

interface FinishedSite {
  idKey: string
  state: 'live' | 'kept'
  installedAt: string | null
  stats: string
}

export async function finishSite(db: ControlDb, number: number, site: FinishedSite): Promise<void> {
  await db.updateTable('site').set(site).where('number', '=', number).execute()
}

export async function insertTenantCopy(db: ControlDb, tenant: TenantCopy, site: number): Promise<void> {
  await db
    .insertInto('tenant')
    .values({ ...tenant, site })
    .execute()
}

/** Times that passed before the restore become due now, so that they do not look missed. */
export async function raiseDueAt(db: ControlDb, site: number, now: Date): Promise<void> {
  const dueAt = now.toISOString()
  await db.updateTable('job').set({ dueAt }).where('site', '=', site).where('dueAt', '<', dueAt).execute()
}

/** The backup whose restore is in progress: set from the first row to the last. */
export async function findRestore(db: ControlDb): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', 'restore').executeTakeFirst()
  return row?.value
}

export async function insertRestore(db: ControlDb, value: string): Promise<void> {
  await db.insertInto('meta').values({ name: 'restore', value }).execute()
}

export async function deleteRestore(db: ControlDb): Promise<void> {
  await db.deleteFrom('meta').where('name', '=', 'restore').execute()
}
