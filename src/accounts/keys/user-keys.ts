import { createHash } from 'node:crypto'
import { inTransaction } from '../../db/index.ts'
import { randomId, randomSecret } from '../../lib/ids.ts'
import { type ChangingSite, limitOf, recordChange, type Site } from '../../site/index.ts'
import { keyNameTaken, keyNotFound, limitReached, unknownAlbum, userNotFound } from '../errors.ts'
import { lockUsers } from '../users/users.ts'
import { findUserByName, type User } from '../users/users-table.ts'
import { type KeyLimits, noLimits } from './key-rules.ts'
import type { Scope } from './scopes.ts'
import { countUserKeys, deleteUserKey, insertUserKey, isAlbumOf, type UserKey } from './user-keys-table.ts'

export interface NewKey extends Partial<KeyLimits> {
  userId: string
  name: string
  /** `upload` by default. */
  scope?: Scope
  albumId?: string | undefined
}

export interface CreatedKey {
  row: UserKey
  /** Shown once: only its hash is stored. */
  key: string
}

/** Creates a key and returns it. */
export async function createUserKey(site: ChangingSite, input: NewKey): Promise<string> {
  return (await addUserKey(site, input)).key
}

/** Creates a key and returns it with its row. */
export async function addUserKey(site: ChangingSite, input: NewKey): Promise<CreatedKey> {
  const id = randomId()
  const { key, secretHash } = newSecret(id)
  const row = {
    ...noLimits,
    scope: 'upload' as const,
    albumId: undefined,
    ...input,
    id,
    createdAt: site.clock.now(),
  }
  await inTransaction(site.db, async (db) => {
    if (!(await insertUserKey(db, { ...row, secretHash }))) throw keyNameTaken(input.name)
    await recordChange({ ...site, db }, { verb: 'key.created', target: id, after: row })
  })
  return { row: { ...row, lastUsedAt: undefined, lastUsedAddress: undefined }, key }
}

export function newSecret(id: string): { key: string; secretHash: string } {
  const key = `trc_${id}_${randomSecret()}`
  return { key, secretHash: createHash('sha256').update(key).digest('hex') }
}

/** Refuses one more key for a user who has the most that there may be. Needs the lock of all accounts. */
export async function checkKeyCount(site: ChangingSite, userId: string): Promise<void> {
  const limit = limitOf(site.values, 'SERVICE_MAX_KEYS_PER_USER')
  if (limit === undefined || (await countUserKeys(site.db, userId)) < limit) return
  throw limitReached('SERVICE_MAX_KEYS_PER_USER', limit)
}

type KeyForName = Omit<NewKey, 'userId'> & { username: string }

/** Creates a key for a user by name, under the lock of all accounts. */
export function createKeyOfUser(
  site: ChangingSite,
  { username, ...input }: KeyForName,
): Promise<CreatedKey & { user: User }> {
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const user = await findUserByName(db, username)
    if (!user) throw userNotFound(username)
    if (input.albumId !== undefined && !(await isAlbumOf(db, user.id, input.albumId))) throw unknownAlbum()
    await checkKeyCount({ ...site, db }, user.id)
    return { user, ...(await addUserKey({ ...site, db }, { ...input, userId: user.id })) }
  })
}

/** Deletes a key by its id, or by its user and name. Keys are not cached, so the next request is refused. */
export function removeUserKey(
  site: ChangingSite,
  which: { id: string } | { username: string; name: string },
): Promise<UserKey> {
  return inTransaction(site.db, async (db) => {
    const key = await ('id' in which
      ? deleteUserKey(db, which)
      : deleteUserKey(db, {
          userId: (await userOfName({ ...site, db }, which.username)).id,
          name: which.name,
        }))
    if (!key) throw keyNotFound('id' in which ? which.id : which.name)
    await recordChange({ ...site, db }, { verb: 'key.deleted', target: key.id, before: key })
    return key
  })
}

export async function userOfName(site: Site, username: string): Promise<User> {
  const user = await findUserByName(site.db, username)
  if (!user) throw userNotFound(username)
  return user
}
