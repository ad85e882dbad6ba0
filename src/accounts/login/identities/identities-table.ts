import type { SiteDb } from '../../../db/index.ts'

/** A user's account at a provider. */
export interface Identity {
  id: string
  providerName: string
  subject: string
  userId: string
  label: string
  createdAt: Date
  lastUsedAt: Date | undefined
}

/** False if the account is connected already, or the user has another one of this provider. */
export async function insertIdentity(db: SiteDb, identity: Identity): Promise<boolean> {
  const { createdAt, lastUsedAt, ...rest } = identity
  const times = { createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null }
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('identity')
    .values({ ...rest, ...times })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

interface Subject {
  provider: string
  subject: string
}

/** The user of an account at a provider. */
export async function findUserOfIdentity(
  db: SiteDb,
  { provider, subject }: Subject,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('identity')
    .select('userId')
    .where('providerName', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.userId
}

export async function updateIdentityUse(db: SiteDb, { provider, subject }: Subject, at: Date): Promise<void> {
  await db
    .updateTable('identity')
    .set({ lastUsedAt: at.toISOString() })
    .where('providerName', '=', provider)
    .where('subject', '=', subject)
    .execute()
}

/** The oldest first. */
export async function identitiesOf(db: SiteDb, userId: string): Promise<Identity[]> {
  const rows = await db
    .selectFrom('identity')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(({ id, providerName, subject, label, createdAt, lastUsedAt }) => ({
    id,
    providerName,
    subject,
    userId,
    label,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? undefined : new Date(lastUsedAt),
  }))
}

export async function deleteIdentity(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('identity').where('id', '=', id).execute()
}

export async function countIdentitiesOf(db: SiteDb, providerName: string): Promise<number> {
  const row = await db
    .selectFrom('identity')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('providerName', '=', providerName)
    .executeTakeFirstOrThrow()
  return row.count
}
