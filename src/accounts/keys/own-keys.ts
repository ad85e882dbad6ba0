import { inTransaction, type SiteDb } from '../../db/index.ts'
import { type ChangingSite, isSwitchedOn, recordChange, type Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import type { CreatedPosition } from '../created-position-table.ts'
import { keyNameTaken, noSuchKey, strongerKey, unknownAlbum, uploadKeysOff } from '../errors.ts'
import { lockUsers } from '../users/users.ts'
import { isWithinLimits, type KeyLimits } from './key-rules.ts'
import { isStronger } from './scopes.ts'
import { addUserKey, type CreatedKey, checkKeyCount, type NewKey, newSecret } from './user-keys.ts'
import {
  deleteUserKey,
  findUserKey,
  hasKeyNamed,
  isAlbumOf,
  type UserKey,
  updateKeySecret,
  updateUserKey,
  userKeysAfter,
} from './user-keys-table.ts'

/** A page of the caller's keys, the youngest first. */
export const listOwnKeys = (
  site: Site,
  caller: UserCaller,
  page: { after: CreatedPosition | undefined; limit: number },
): Promise<UserKey[]> => userKeysAfter(site.db, caller.userId, page)

export const readOwnKey = (site: Site, caller: UserCaller, id: string): Promise<UserKey> =>
  requireKey(site.db, caller, id)

/** Creates a key for the caller, at most as strong as the caller's own scope and limits. */
export function createOwnKey(
  site: ChangingSite,
  caller: UserCaller,
  input: Omit<NewKey, 'userId'> & KeyLimits,
): Promise<CreatedKey> {
  return inAccount(site, caller, async (db) => {
    const { scope = 'upload' } = input
    if (scope === 'upload' && !isSwitchedOn(site.values, 'SERVICE_ENABLE_API_USER')) throw uploadKeysOff()
    if (isStronger(scope, caller.scope)) throw strongerKey()
    if (!isWithinLimits(input, caller.limits)) throw strongerKey()
    if (input.albumId !== undefined && !(await isAlbumOf(db, caller.userId, input.albumId)))
      throw unknownAlbum()
    await checkKeyCount({ ...site, db }, caller.userId)
    return addUserKey({ ...site, db }, { ...input, userId: caller.userId })
  })
}

type KeyEdit = { [Field in 'name' | keyof KeyLimits]?: (KeyLimits & { name: string })[Field] | null }

/** Changes name and limits; a limit of null is cleared. Scope and album stay. */
export function editOwnKey(
  site: ChangingSite,
  caller: UserCaller,
  { id, ...edit }: KeyEdit & { id: string },
): Promise<UserKey> {
  return inAccount(site, caller, async (db) => {
    const key = await requireWeakerKey(db, caller, id)
    const edited = {
      name: edit.name ?? key.name,
      expiresAt: edit.expiresAt === undefined ? key.expiresAt : (edit.expiresAt ?? undefined),
      allowedOrigins: edit.allowedOrigins === undefined ? key.allowedOrigins : (edit.allowedOrigins ?? []),
      allowedAddresses:
        edit.allowedAddresses === undefined ? key.allowedAddresses : (edit.allowedAddresses ?? []),
    }
    if (!isWithinLimits(edited, caller.limits)) throw strongerKey()
    if (edited.name !== key.name && (await hasKeyNamed(db, caller.userId, edited.name)))
      throw keyNameTaken(edited.name)
    await updateUserKey(db, id, edited)
    const after = { ...key, ...edited }
    await recordChange({ ...site, db }, { verb: 'key.updated', target: id, before: key, after })
    return after
  })
}

/** Gives a key a new secret. The old one is accepted for the time of the overlap. */
export function rotateOwnKey(
  site: ChangingSite,
  caller: UserCaller,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<CreatedKey> {
  return inAccount(site, caller, async (db) => {
    const row = await requireWeakerKey(db, caller, id)
    const { key, secretHash } = newSecret(id)
    const endsAt = new Date(site.clock.now().getTime() + overlapSeconds * 1_000)
    await updateKeySecret(db, id, { secretHash, overlapEndsAt: overlapSeconds === 0 ? undefined : endsAt })
    const secrets = { before: { secret: 'old' }, after: { secret: 'new' } }
    await recordChange({ ...site, db }, { verb: 'key.updated', target: id, ...secrets })
    return { row, key }
  })
}

/** Deletes a key of the caller, of whatever strength. Keys are not cached, so the next request is refused. */
export function removeOwnKey(site: ChangingSite, caller: UserCaller, id: string): Promise<void> {
  return inAccount(site, caller, async (db) => {
    const key = await deleteUserKey(db, { id, userId: caller.userId })
    if (!key) throw noSuchKey(id)
    await recordChange({ ...site, db }, { verb: 'key.deleted', target: id, before: key })
  })
}

/** One transaction under the lock of all accounts, for a caller who is still known. */
function inAccount<T>(site: ChangingSite, caller: UserCaller, work: (db: SiteDb) => Promise<T>): Promise<T> {
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    return work(db)
  })
}

async function requireKey(db: SiteDb, caller: UserCaller, id: string): Promise<UserKey> {
  const key = await findUserKey(db, caller.userId, id)
  if (!key) throw noSuchKey(id)
  return key
}

/** Without this check a key could give itself the secret, or drop the limits, of a stronger one. */
async function requireWeakerKey(db: SiteDb, caller: UserCaller, id: string): Promise<UserKey> {
  const key = await requireKey(db, caller, id)
  if (isStronger(key.scope, caller.scope) || !isWithinLimits(key, caller.limits)) throw strongerKey()
  return key
}
