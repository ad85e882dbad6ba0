import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { randomId } from '../../../lib/ids.ts'
import { type ChangingSite, recordChange, type Site } from '../../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../../actor.ts'
import { lockUsers } from '../../users/users.ts'
import { findPasswordHash } from '../../users/users-table.ts'
import { passkeysAt } from '../passkeys/passkeys-table.ts'
import {
  alreadyConnected,
  identityTaken,
  lastLoginMethod,
  noSuchIdentity,
} from '../providers/provider-errors.ts'
import { allProviders } from '../providers/providers-table.ts'
import { type ProviderAccount, requireEnabled } from './connect.ts'
import {
  deleteIdentity,
  findUserOfIdentity,
  type Identity,
  identitiesOf,
  insertIdentity,
  updateIdentityUse,
} from './identities-table.ts'

/** The user who has connected the account, found by provider and subject alone: addresses change hands. */
export async function userOfAccount(
  site: ChangingSite,
  account: ProviderAccount,
): Promise<string | undefined> {
  const userId = await findUserOfIdentity(site.db, account)
  if (userId !== undefined) await updateIdentityUse(site.db, account, site.clock.now())
  return userId
}

/** A provider, with the caller's account there if one is connected. */
export interface Connection {
  name: string
  title: string
  isEnabled: boolean
  identity: Identity | undefined
}

/** The caller's connected accounts, and the providers of which another may be. */
export async function listConnections(site: Site, { userId }: UserCaller): Promise<Connection[]> {
  const identities = await identitiesOf(site.db, userId)
  const providers = await allProviders(site.db)
  return providers
    .map(({ name, title, isEnabled }) => ({
      name,
      title,
      isEnabled,
      identity: identities.find(({ providerName }) => providerName === name),
    }))
    .filter(({ isEnabled, identity }) => isEnabled || identity)
}

/** Connects an account with the caller. */
export async function connectAccount(
  site: ChangingSite,
  caller: UserCaller,
  account: ProviderAccount,
): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    await addIdentity({ ...site, db }, caller.userId, account)
  })
}

/** Part of the transaction that has locked the users. */
export async function addIdentity(
  site: ChangingSite,
  userId: string,
  account: ProviderAccount,
): Promise<void> {
  await requireEnabled(site, account.provider)
  const owner = await findUserOfIdentity(site.db, account)
  if (owner === userId) return
  if (owner !== undefined) throw identityTaken()
  const isNew = await insertIdentity(site.db, {
    id: randomId(),
    providerName: account.provider,
    subject: account.subject,
    userId,
    label: account.label,
    createdAt: site.clock.now(),
    lastUsedAt: undefined,
  })
  if (!isNew) throw alreadyConnected()
  await recordIdentity(site, userId, { after: { provider: account.provider } })
}

/** Disconnects an account of the caller, unless it is the only way in. */
export async function disconnectAccount(site: ChangingSite, caller: UserCaller, id: string): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    const { providerName: provider } = await requireIdentity(db, caller.userId, id)
    if (!(await hasOtherLoginMethod({ ...site, db }, caller.userId, id))) throw lastLoginMethod()
    await deleteIdentity(db, id)
    await recordIdentity({ ...site, db }, caller.userId, { before: { provider } })
  })
}

async function requireIdentity(db: SiteDb, userId: string, id: string): Promise<Identity> {
  const own = (await identitiesOf(db, userId)).find((identity) => identity.id === id)
  if (!own) throw noSuchIdentity(id)
  return own
}

const recordIdentity = (
  site: ChangingSite,
  userId: string,
  fields: { before?: { provider: string }; after?: { provider: string } },
) => recordChange(site, { verb: 'user.updated', target: userId, ...fields })

/** Whether the user can log in without this passkey or connected account. */
export async function hasOtherLoginMethod(site: Site, userId: string, withoutId: string): Promise<boolean> {
  if ((await findPasswordHash(site.db, userId)) !== '') return true
  const passkeys = await passkeysAt(site.db, userId, site.hostname)
  if (passkeys.some((id) => id !== withoutId)) return true
  const enabled = (await allProviders(site.db)).filter(({ isEnabled }) => isEnabled)
  const identities = await identitiesOf(site.db, userId)
  return identities.some(
    ({ id, providerName }) => id !== withoutId && enabled.some(({ name }) => name === providerName),
  )
}
