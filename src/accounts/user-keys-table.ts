import { prepare, prepareInsertion, type SiteDb, type SiteTables } from '../db/index.ts'
import type { Role } from './users-table.ts'

/** An upload key, without what makes it one. */
export interface UserKey {
  id: string
  userId: string
  name: string
  createdAt: Date
  expiresAt: Date | undefined
}

type NewUserKey = UserKey & { secretHash: string }

const insertion = prepareInsertion('userKey', ['userId', 'name'])

/** False when the user has a key of that name. */
export function insertUserKey(db: SiteDb, { createdAt, expiresAt, ...key }: NewUserKey): Promise<boolean> {
  const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null }
  return insertion(db, { ...key, ...times })
}

interface KeyOwner {
  keyId: string
  userId: string
  role: Role
  isBanned: boolean
  secretHash: string
}

const ownerOfKey = prepare((db, { id, now }: Record<'id' | 'now', never>) =>
  db
    .selectFrom('userKey')
    .innerJoin('user', 'user.id', 'userKey.userId')
    .select(['user.id as userId', 'user.role', 'user.isBanned', 'userKey.secretHash'])
    .where('userKey.id', '=', id)
    .where((eb) => eb.or([eb('userKey.expiresAt', 'is', null), eb('userKey.expiresAt', '>', now)])),
)

/** The owner of a key that is not expired. */
export async function findUserOfKey(db: SiteDb, id: string, now: Date): Promise<KeyOwner | undefined> {
  const [row] = await ownerOfKey.rows(db, { id, now: now.toISOString() })
  return row && { ...row, keyId: id, isBanned: row.isBanned === 1 }
}

/** The keys of a user, or of all of them. */
export async function allUserKeys(db: SiteDb, userId?: string): Promise<UserKey[]> {
  const query = db.selectFrom('userKey').select(keyColumns).orderBy('createdAt').orderBy('id')
  const rows = await (userId === undefined ? query : query.where('userId', '=', userId)).execute()
  return rows.map(keyOfRow)
}

/** By its id, or by its user and its name; tells what was deleted, and nothing when it was not there. */
export async function deleteUserKey(
  db: SiteDb,
  which: { id: string } | { userId: string; name: string },
): Promise<UserKey | undefined> {
  const query = db.deleteFrom('userKey').returning(keyColumns)
  const row = await ('id' in which
    ? query.where('id', '=', which.id)
    : query.where('userId', '=', which.userId).where('name', '=', which.name)
  ).executeTakeFirst()
  return row && keyOfRow(row)
}

const keyColumns = ['id', 'userId', 'name', 'createdAt', 'expiresAt'] as const

type KeyRow = Pick<SiteTables['userKey'], (typeof keyColumns)[number]>

const keyOfRow = ({ createdAt, expiresAt, ...key }: KeyRow): UserKey => ({
  ...key,
  createdAt: new Date(createdAt),
  expiresAt: expiresAt === null ? undefined : new Date(expiresAt),
})
