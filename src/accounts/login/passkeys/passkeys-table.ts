import type { SiteDb, SiteTables } from '../../../db/index.ts'

/** A passkey as its user sees it. */
export interface Passkey {
  id: string
  userId: string
  credentialId: string
  name: string
  transports: readonly string[]
  createdAt: Date
  lastUsedAt: Date | undefined
}

export interface VerifiablePasskey extends Passkey {
  publicKey: string
  counter: number
}

export type NewPasskey = VerifiablePasskey & { hostname: string }

/** False if the credential is known already. */
export async function insertPasskey(db: SiteDb, passkey: NewPasskey): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('passkey')
    .values({
      ...passkey,
      transports: JSON.stringify(passkey.transports),
      createdAt: passkey.createdAt.toISOString(),
      lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** The oldest first. */
export async function passkeysOf(db: SiteDb, userId: string): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('passkey')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(passkeyOfRow)
}

/** The ids of those that browsers offer at a hostname. */
export async function passkeysAt(db: SiteDb, userId: string, hostname: string): Promise<string[]> {
  const query = db.selectFrom('passkey').select('id').where('userId', '=', userId)
  return (await query.where('hostname', '=', hostname).execute()).map(({ id }) => id)
}

/** Of all users. */
export async function countPasskeysAt(db: SiteDb, hostname: string): Promise<number> {
  const row = await db
    .selectFrom('passkey')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('hostname', '=', hostname)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function findPasskey(db: SiteDb, credentialId: string): Promise<VerifiablePasskey | undefined> {
  const row = await db
    .selectFrom('passkey')
    .selectAll()
    .where('credentialId', '=', credentialId)
    .executeTakeFirst()
  return row && passkeyOfRow(row)
}

function passkeyOfRow({ hostname: _, ...row }: SiteTables['passkey']): VerifiablePasskey {
  return {
    ...row,
    transports: JSON.parse(row.transports) as string[],
    createdAt: new Date(row.createdAt),
    lastUsedAt: row.lastUsedAt === null ? undefined : new Date(row.lastUsedAt),
  }
}

/** False if the passkey is gone, or has counted further meanwhile: two devices must not share one. */
export async function updatePasskeyUse(
  db: SiteDb,
  id: string,
  { from, counter, at }: { from: number; counter: number; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ counter, lastUsedAt: at.toISOString() })
    .where('id', '=', id)
    .where('counter', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if the user has no such passkey. */
export async function deletePasskey(db: SiteDb, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** False if the user has no such passkey. */
export async function updatePasskeyName(
  db: SiteDb,
  { id, userId, name }: Pick<Passkey, 'id' | 'userId' | 'name'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
