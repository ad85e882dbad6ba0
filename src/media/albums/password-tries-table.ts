import type { SiteDb, SiteTables } from '../../db/index.ts'

type Try = Omit<SiteTables['passwordTry'], 'at'> & { at: Date }

export async function insertTry(db: SiteDb, given: Try): Promise<void> {
  await db
    .insertInto('passwordTry')
    .values({ ...given, at: given.at.toISOString() })
    .execute()
}

export async function deleteTry(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('passwordTry').where('id', '=', id).execute()
}

interface Period {
  after: Date
  until: Date
}

/** Tries of another time: also those of a clock that was ahead, which would count for as long. */
export async function deleteTriesOutside(db: SiteDb, { after, until }: Period): Promise<void> {
  await db
    .deleteFrom('passwordTry')
    .where((eb) => eb.or([eb('at', '<=', after.toISOString()), eb('at', '>', until.toISOString())]))
    .execute()
}

export async function countTries(
  db: SiteDb,
  by: { address: string } | { target: string },
  after: Date,
): Promise<number> {
  const counted = db
    .selectFrom('passwordTry')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('at', '>', after.toISOString())
  const own =
    'address' in by ? counted.where('address', '=', by.address) : counted.where('target', '=', by.target)
  return (await own.executeTakeFirstOrThrow()).count
}
