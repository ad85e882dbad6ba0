import { inTransaction } from '../../../db/index.ts'
import { randomId } from '../../../lib/ids.ts'
import { type ChangingSite, recordChange, type Site } from '../../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../../actor.ts'
import { lockUsers } from '../../users/users.ts'
import { passkeyNotFound, passkeyRefused } from '../errors.ts'
import { hasOtherLoginMethod } from '../identities/identities.ts'
import { lastLoginMethod } from '../providers/provider-errors.ts'
import {
  deletePasskey,
  insertPasskey,
  type Passkey,
  passkeysOf,
  updatePasskeyName,
} from './passkeys-table.ts'
import { useChallenge } from './verify-passkey.ts'
import {
  type CreationOptions,
  checkPasskeyName,
  checkRoomForPasskey,
  creationOptions,
  type PasskeyAnswer,
  verifiedCreation,
} from './webauthn.ts'

/** What a browser needs to make a passkey for the caller. */
export async function passkeyCreation(
  site: Site,
  { userId }: UserCaller,
  { key, username }: { key: Uint8Array; username: string },
): Promise<CreationOptions> {
  const known = await passkeysOf(site.db, userId)
  return creationOptions(site, { id: userId, username, known }, key)
}

/** Keeps a passkey that the browser has made. */
export async function addPasskey(
  site: ChangingSite,
  caller: UserCaller,
  { name, ...answer }: PasskeyAnswer & { name: string },
): Promise<void> {
  const { userId } = caller
  checkPasskeyName(name)
  const { credential, challenge } = await verifiedCreation(site, answer, userId)
  const now = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, now)
    await useChallenge(db, challenge, now)
    checkRoomForPasskey(await passkeysOf(db, userId))
    const isNew = await insertPasskey(db, {
      id: randomId(),
      userId,
      name,
      hostname: site.hostname,
      createdAt: now,
      lastUsedAt: undefined,
      ...credential,
    })
    if (!isNew) throw passkeyRefused('The passkey is known already.')
    await recordPasskey({ ...site, db }, userId, { after: { passkey: name } })
  })
}

export const listOwnPasskeys = (site: Site, { userId }: UserCaller): Promise<Passkey[]> =>
  passkeysOf(site.db, userId)

export async function removeOwnPasskey(site: ChangingSite, caller: UserCaller, id: string): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    if (!(await hasOtherLoginMethod({ ...site, db }, caller.userId, id))) throw lastLoginMethod()
    const passkey = (await passkeysOf(db, caller.userId)).find((each) => each.id === id)
    if (!(await deletePasskey(db, caller.userId, id))) throw passkeyNotFound(id)
    await recordPasskey({ ...site, db }, caller.userId, { before: { passkey: passkey?.name } })
  })
}

export async function renameOwnPasskey(
  site: ChangingSite,
  caller: UserCaller,
  { id, name }: { id: string; name: string },
): Promise<void> {
  checkPasskeyName(name)
  const { userId } = caller
  await inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    const before = (await passkeysOf(db, userId)).find((each) => each.id === id)
    if (!(await updatePasskeyName(db, { id, userId, name }))) throw passkeyNotFound(id)
    await recordPasskey({ ...site, db }, userId, {
      before: { passkey: before?.name },
      after: { passkey: name },
    })
  })
}

const recordPasskey = (
  site: ChangingSite,
  userId: string,
  fields: { before?: { passkey: string | undefined }; after?: { passkey: string } },
) => recordChange(site, { verb: 'user.updated', target: userId, ...fields })
