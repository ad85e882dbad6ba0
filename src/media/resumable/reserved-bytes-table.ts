import type { SiteDb } from '../../db/index.ts'
import { openUploads } from './resumable-uploads-table.ts'

/** The bytes that open uploads have reserved: all of them, or those of one owner, or the others than one of them. */
export async function sumReservedBytes(
  db: SiteDb,
  now: Date,
  { ownerId, besides }: { ownerId?: string | undefined; besides?: string | undefined } = {},
): Promise<number> {
  let query = openUploads(db, now).select((eb) => eb.fn.sum<number | null>('reservedBytes').as('bytes'))
  if (ownerId !== undefined) query = query.where('ownerId', '=', ownerId)
  if (besides !== undefined) query = query.where('id', '<>', besides)
  const row = await query.executeTakeFirstOrThrow()
  return Number(row.bytes ?? 0)
}

/** The bytes that open uploads have reserved, by who will own them. */
export async function reservedBytesByOwner(db: SiteDb, now: Date): Promise<Map<string, number>> {
  const rows = await openUploads(db, now)
    .select((eb) => [
      eb.ref('ownerId').$notNull().as('ownerId'),
      eb.fn.sum<number>('reservedBytes').as('bytes'),
    ])
    .where('ownerId', 'is not', null)
    .groupBy('ownerId')
    .execute()
  return new Map(rows.map(({ ownerId, bytes }) => [ownerId, Number(bytes)]))
}
