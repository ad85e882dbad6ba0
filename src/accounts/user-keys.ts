import { createHash } from 'node:crypto'
import { inTransaction } from '../db/index.ts'
import { randomId, randomSecret } from '../lib/ids.ts'
import type { Site } from '../site/index.ts'
import { keyNameTaken, keyNotFound, userNotFound } from './errors.ts'
import { deleteUserKey, insertUserKey, type UserKey } from './user-keys-table.ts'
import { waitForUsers } from './users.ts'
import { findUserByName, type User } from './users-table.ts'

interface NewKey {
  userId: string
  name: string
  expiresAt?: Date | undefined
}

/** Makes an upload key and tells it, this once: only its hash is kept. */
export async function createUserKey(site: Site, input: NewKey): Promise<string> {
  const id = randomId()
  const key = `trc_${id}_${randomSecret()}`
  const secretHash = createHash('sha256').update(key).digest('hex')
  const row = { id, expiresAt: undefined, ...input, secretHash, createdAt: site.clock.now() }
  const isNew = await insertUserKey(site.db, row)
  if (!isNew) throw keyNameTaken(input.name)
  return key
}

type KeyForName = Omit<NewKey, 'userId'> & { username: string }

/** The same for a user by name, who is not deleted meanwhile. */
export function createKeyOfUser(
  site: Site,
  { username, ...input }: KeyForName,
): Promise<{ user: User; key: string }> {
  return inTransaction(site.db, async (db) => {
    await waitForUsers(db)
    const user = await findUserByName(db, username)
    if (!user) throw userNotFound(username)
    return { user, key: await createUserKey({ ...site, db }, { ...input, userId: user.id }) }
  })
}

/** Takes a key back: by its id, or by its user and its name. Every request looks for its key, so that it ends at once. */
export async function removeUserKey(
  site: Site,
  which: { id: string } | { username: string; name: string },
): Promise<UserKey> {
  const key = await ('id' in which
    ? deleteUserKey(site.db, which)
    : deleteUserKey(site.db, { userId: (await userOfName(site, which.username)).id, name: which.name }))
  if (!key) throw keyNotFound('id' in which ? which.id : which.name)
  return key
}

export async function userOfName(site: Site, username: string): Promise<User> {
  const user = await findUserByName(site.db, username)
  if (!user) throw userNotFound(username)
  return user
}
