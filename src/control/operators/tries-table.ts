import type { ControlDb } from '../../db/index.ts'

export interface Try {
  id: string
  /** An address, or the /64 of an IPv6 address. Empty if the try counts for the account alone. */
  address: string
  account: string
  at: Date
}

export async function insertTry(db: ControlDb, given: Try): Promise<void> {
  await db
    .insertInto('operatorTry')
    .values({ ...given, at: given.at.toISOString() })
    .execute()
}

export async function deleteTry(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('operatorTry').where('id', '=', id).execute()
}

/** Those that count no more, and those of a clock that was set back since. */
export async function deleteTriesOutside(
  db: ControlDb,
  { until, after }: { until: Date; after: Date },
): Promise<void> {
  await db
    .deleteFrom('operatorTry')
    .where((eb) => eb.or([eb('at', '<=', until.toISOString()), eb('at', '>', after.toISOString())]))
    .execute()
}

/** The time of the n-th youngest other try of an address, or for an account, since a time; undefined if there are fewer. */
export async function findEarlierTry(
  db: ControlDb,
  { id, ...given }: Try,
  { by, since, count }: { by: 'address' | 'account'; since: Date; count: number },
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('operatorTry')
    .select('at')
    .where(by, '=', given[by])
    .where('at', '>', since.toISOString())
    .where('id', '!=', id)
    .orderBy('at', 'desc')
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return row && new Date(row.at)
}
