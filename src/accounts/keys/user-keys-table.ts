import { changeTokenOf, prepare, prepareInsertion, type SiteDb, type SiteTables } from '../../db/index.ts'
import { LruMap } from '../../lib/lru.ts'
import { type CreatedPosition, isCreatedBefore } from '../created-position-table.ts'
import type { Role } from '../users/users-table.ts'
import type { KeyLimits } from './key-rules.ts'
import type { Scope } from './scopes.ts'

/** A user's key without its secret. */
export interface UserKey extends KeyLimits {
  id: string
  userId: string
  name: string
  scope: Scope
  /** The only album that the key reaches. */
  albumId: string | undefined
  createdAt: Date
  lastUsedAt: Date | undefined
  lastUsedAddress: string | undefined
}

type NewUserKey = Omit<UserKey, 'lastUsedAt' | 'lastUsedAddress'> & { secretHash: string }

const insertion = prepareInsertion('userKey', ['userId', 'name'])

/** False if the user already has a key of that name. */
export function insertUserKey(db: SiteDb, { createdAt, albumId, ...key }: NewUserKey): Promise<boolean> {
  const { id, userId, name, secretHash, scope, ...limits } = key
  return insertion(db, {
    id,
    userId,
    name,
    secretHash,
    scope,
    albumId: albumId ?? null,
    createdAt: createdAt.toISOString(),
    ...columnsOfLimits(limits),
    lastUsedAt: null,
    lastUsedAddress: null,
    oldSecretHash: null,
    oldSecretEndsAt: null,
  })
}

const columnsOfLimits = ({ expiresAt, allowedOrigins, allowedAddresses }: KeyLimits) => ({
  expiresAt: expiresAt?.toISOString() ?? null,
  allowedOrigins: JSON.stringify(allowedOrigins),
  allowedAddresses: JSON.stringify(allowedAddresses),
})

const limitsOfRow = (row: ReturnType<typeof columnsOfLimits>): KeyLimits => ({
  expiresAt: timeOf(row.expiresAt),
  allowedOrigins: JSON.parse(row.allowedOrigins),
  allowedAddresses: JSON.parse(row.allowedAddresses),
})

const timeOf = (text: string | null) => (text === null ? undefined : new Date(text))

/** A key with its user and its secrets' hashes. */
export interface KeyOwner extends KeyLimits {
  keyId: string
  userId: string
  role: Role
  isBanned: boolean
  scope: Scope
  albumId: string | undefined
  secretHash: string
  oldSecretHash: string | null
  oldSecretEndsAt: Date | undefined
  lastUsedAt: Date | undefined
}

const ownerOfKey = prepare((db, { id }: Record<'id', never>) =>
  db
    .selectFrom('userKey')
    .innerJoin('user', 'user.id', 'userKey.userId')
    .select(['user.id as userId', 'user.role', 'user.isBanned', 'userKey.secretHash'])
    .select(['userKey.scope', 'userKey.albumId', 'userKey.expiresAt', 'userKey.lastUsedAt'])
    .select(['userKey.allowedOrigins', 'userKey.allowedAddresses'])
    .select(['userKey.oldSecretHash', 'userKey.oldSecretEndsAt'])
    .where('userKey.id', '=', id),
)

const mostKept = 1_000

/** Owners of keys on SQLite, by the state of the site's rows that they were read in: a client sends its key with each request. */
const kept = new WeakMap<object, LruMap<string, KeyOwner>>()

/** The owner of a key that has not expired. */
export async function findUserOfKey(db: SiteDb, id: string, now: Date): Promise<KeyOwner | undefined> {
  const owner = await ownerSinceChange(db, id)
  return owner?.expiresAt && owner.expiresAt <= now ? undefined : owner
}

async function ownerSinceChange(db: SiteDb, id: string): Promise<KeyOwner | undefined> {
  const changeToken = changeTokenOf(db)
  const known = changeToken && kept.get(changeToken)
  const owner = known?.get(id) ?? (await readOwner(db, id))
  if (!owner || !changeToken) return owner
  const owners = known ?? new LruMap(mostKept)
  owners.set(id, owner)
  kept.set(changeToken, owners)
  return owner
}

async function readOwner(db: SiteDb, id: string): Promise<KeyOwner | undefined> {
  const [row] = await ownerOfKey.rows(db, { id })
  if (!row) return undefined
  const { userId, role, scope, secretHash, oldSecretHash } = row
  return {
    keyId: id,
    userId,
    role,
    scope,
    secretHash,
    oldSecretHash,
    isBanned: row.isBanned === 1,
    ...limitsOfRow(row),
    albumId: row.albumId ?? undefined,
    oldSecretEndsAt: timeOf(row.oldSecretEndsAt),
    lastUsedAt: timeOf(row.lastUsedAt),
  }
}

/** The keys of one user, or of all users. */
export async function allUserKeys(db: SiteDb, userId?: string): Promise<UserKey[]> {
  const query = db.selectFrom('userKey').select(keyColumns).orderBy('createdAt').orderBy('id')
  const rows = await (userId === undefined ? query : query.where('userId', '=', userId)).execute()
  return rows.map(keyOfRow)
}

/** A page of a user's keys, the youngest first. */
export async function userKeysAfter(
  db: SiteDb,
  userId: string,
  { after, limit }: { after: CreatedPosition | undefined; limit: number },
): Promise<UserKey[]> {
  let query = db.selectFrom('userKey').select(keyColumns).where('userId', '=', userId)
  if (after) query = query.where(isCreatedBefore(after))
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(keyOfRow)
}

export async function findUserKey(db: SiteDb, userId: string, id: string): Promise<UserKey | undefined> {
  const row = await db
    .selectFrom('userKey')
    .select(keyColumns)
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return row && keyOfRow(row)
}

export async function countUserKeys(db: SiteDb, userId: string): Promise<number> {
  const row = await db
    .selectFrom('userKey')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function hasKeyNamed(db: SiteDb, userId: string, name: string): Promise<boolean> {
  const query = db.selectFrom('userKey').select('id').where('userId', '=', userId).where('name', '=', name)
  return (await query.executeTakeFirst()) !== undefined
}

export async function updateUserKey(
  db: SiteDb,
  id: string,
  { name, ...limits }: KeyLimits & { name: string },
): Promise<void> {
  const edit = { name, ...columnsOfLimits(limits) }
  await db.updateTable('userKey').set(edit).where('id', '=', id).execute()
}

/** The secret of today becomes the old one. Without an end of the overlap, the old one is refused at once. */
export async function updateKeySecret(
  db: SiteDb,
  id: string,
  { secretHash, overlapEndsAt }: { secretHash: string; overlapEndsAt: Date | undefined },
): Promise<void> {
  const until = overlapEndsAt?.toISOString() ?? null
  await db
    .updateTable('userKey')
    .set((row) => ({
      oldSecretHash: until === null ? null : row.ref('secretHash'),
      oldSecretEndsAt: until,
      secretHash,
    }))
    .where('id', '=', id)
    .execute()
}

/** Writes only if the stored time is older, so that all servers together write once for each time. */
export async function updateKeyUse(
  db: SiteDb,
  id: string,
  { at, latest, address }: { at: Date; latest: Date; address: string },
): Promise<void> {
  const lastUsedAt = at.toISOString()
  await db
    .updateTable('userKey')
    .set({ lastUsedAt, lastUsedAddress: address })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('lastUsedAt', 'is', null),
        eb('lastUsedAt', '<', lastUsedAt),
        eb('lastUsedAt', '>', latest.toISOString()),
      ]),
    )
    .execute()
}

/** Whether the user owns this album. */
export async function isAlbumOf(db: SiteDb, userId: string, albumId: string): Promise<boolean> {
  const query = db.selectFrom('album').select('id').where('id', '=', albumId).where('userId', '=', userId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Deletes a key by its id, by its id and user, or by its user and name. Returns the deleted key, if there was one. */
export async function deleteUserKey(
  db: SiteDb,
  which: { id: string; userId?: string } | { userId: string; name: string },
): Promise<UserKey | undefined> {
  let query = db.deleteFrom('userKey').returning(keyColumns)
  if ('id' in which) query = query.where('id', '=', which.id)
  if ('name' in which) query = query.where('name', '=', which.name)
  if (which.userId !== undefined) query = query.where('userId', '=', which.userId)
  const row = await query.executeTakeFirst()
  return row && keyOfRow(row)
}

const keyColumns = [
  'id',
  'userId',
  'name',
  'scope',
  'albumId',
  'createdAt',
  'expiresAt',
  'allowedOrigins',
  'allowedAddresses',
  'lastUsedAt',
  'lastUsedAddress',
] as const

type KeyRow = Pick<SiteTables['userKey'], (typeof keyColumns)[number]>

const keyOfRow = (row: KeyRow): UserKey => ({
  id: row.id,
  userId: row.userId,
  name: row.name,
  scope: row.scope,
  ...limitsOfRow(row),
  albumId: row.albumId ?? undefined,
  createdAt: new Date(row.createdAt),
  lastUsedAt: timeOf(row.lastUsedAt),
  lastUsedAddress: row.lastUsedAddress ?? undefined,
})
