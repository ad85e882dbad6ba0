import type { SiteDb } from '../../db/index.ts'

export interface LoginTry {
  id: string
  /** An address, or the /64 of an IPv6 address. */
  address: string
  account: string
  at: Date
}

export async function insertLoginTry(db: SiteDb, given: LoginTry): Promise<void> {
  await db
    .insertInto('loginTry')
    .values({ ...given, at: given.at.toISOString() })
    .execute()
}

export async function deleteLoginTry(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('loginTry').where('id', '=', id).execute()
}

export async function deleteLoginTriesUntil(db: SiteDb, until: Date): Promise<void> {
  await db.deleteFrom('loginTry').where('at', '<=', until.toISOString()).execute()
}

/** Tries of a clock that was set back since. */
export async function deleteLoginTriesAfter(db: SiteDb, latest: Date): Promise<void> {
  await db.deleteFrom('loginTry').where('at', '>', latest.toISOString()).execute()
}

export async function deleteLoginTriesOf(db: SiteDb, account: string): Promise<void> {
  await db.deleteFrom('loginTry').where('account', '=', account).execute()
}

export async function findFirstTry(db: SiteDb, account: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('loginTry')
    .select('at')
    .where('account', '=', account)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  return row && new Date(row.at)
}

/** The tries of an address, or for an account, that are younger than a time. */
export async function countLoginTries(
  db: SiteDb,
  { by, value, since }: { by: 'address' | 'account'; value: string; since: Date },
): Promise<number> {
  const row = await db
    .selectFrom('loginTry')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(by, '=', value)
    .where('at', '>', since.toISOString())
    .executeTakeFirstOrThrow()
  return row.count
}
