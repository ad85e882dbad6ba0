import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { sealText } from '../../../lib/sealed-text.ts'
import {
  addToTotal,
  type ChangingSite,
  limitOf,
  lockTotal,
  recordChange,
  type Site,
} from '../../../site/index.ts'
import type { UserCaller } from '../../actor.ts'
import { limitReached } from '../../errors.ts'
import { type CheckVersion, checkStillAdministrator } from '../../users/manage-users.ts'
import { countIdentitiesOf } from '../identities/identities-table.ts'
import {
  issuerInUse,
  noSuchProvider,
  providerNameTaken,
  secretNeeded,
  tooManyProviders,
} from './provider-errors.ts'
import { checkProviderFields, type ProviderFields } from './provider-rules.ts'
import {
  allProviders,
  deleteProvider,
  findProvider,
  insertProvider,
  type Provider,
  updateProvider,
} from './providers-table.ts'

/** More buttons would fill the log-in page. */
const mostProviders = 20

export const listProviders = (site: Site): Promise<Provider[]> => allProviders(site.db)

/** What the log-in page offers, in order. */
export async function listEnabledProviders(
  site: Site,
): Promise<Pick<Provider, 'name' | 'title' | 'isSignUpOpen'>[]> {
  return (await allProviders(site.db)).filter(({ isEnabled }) => isEnabled)
}

export async function readProvider(site: Site, name: string): Promise<Provider> {
  return requireProvider(site.db, name)
}

/** How many users have connected an account of the provider. */
export const countConnected = (site: Site, name: string): Promise<number> => countIdentitiesOf(site.db, name)

interface Sealing {
  /** Seals the secret. */
  key: Uint8Array
}

/** It becomes the last one in order. */
export function createProvider(
  site: ChangingSite,
  caller: UserCaller,
  { name, fields, key }: Sealing & { name: string; fields: ProviderFields },
): Promise<Provider> {
  checkProviderFields(fields, name)
  return asAdministrator(site, caller, async (db, now) => {
    const all = await allProviders(db)
    if (all.length >= mostProviders) throw tooManyProviders(mostProviders)
    const { clientSecret = '', ...rest } = fields
    const provider: Provider = {
      ...rest,
      name,
      sealedSecret: sealSecret(key, name, clientSecret),
      sortOrder: (all.at(-1)?.sortOrder ?? -1) + 1,
      createdAt: now,
      updatedAt: now,
      version: 1,
    }
    if (!(await insertProvider(db, provider))) throw providerNameTaken(name)
    if (provider.isEnabled) await countEnabled({ ...site, db })
    await recordChange({ ...site, db }, { verb: 'provider.created', target: name, after: provider })
    return provider
  })
}

interface ProviderChange {
  name: string
  checkVersion: CheckVersion
}

export function editProvider(
  site: ChangingSite,
  caller: UserCaller,
  { name, edit, checkVersion, key }: ProviderChange & Sealing & { edit: ProviderFields },
): Promise<Provider> {
  checkProviderFields(edit)
  return asAdministrator(site, caller, async (db, now) => {
    const provider = await requireProvider(db, name)
    checkVersion(provider.version)
    const connected = edit.issuer === provider.issuer ? 0 : await countIdentitiesOf(db, name)
    if (connected > 0) throw issuerInUse(connected)
    const { clientSecret, ...rest } = edit
    const isElsewhere = edit.issuer !== provider.issuer
    if (isElsewhere && clientSecret === undefined && provider.sealedSecret !== '') throw secretNeeded()
    const sealedSecret =
      clientSecret === undefined ? provider.sealedSecret : sealSecret(key, name, clientSecret)
    return storeEdited({ ...site, db }, provider, { ...provider, ...rest, sealedSecret, updatedAt: now })
  })
}

/** Users whose provider is switched off stay connected, and log in another way meanwhile. */
export function switchProvider(
  site: ChangingSite,
  caller: UserCaller,
  { name, isEnabled }: { name: string; isEnabled: boolean },
): Promise<Provider> {
  return asAdministrator(site, caller, async (db, now) => {
    const provider = await requireProvider(db, name)
    return storeEdited({ ...site, db }, provider, { ...provider, isEnabled, updatedAt: now })
  })
}

async function storeEdited(site: ChangingSite, before: Provider, edited: Provider): Promise<Provider> {
  const stored = { ...edited, version: before.version + 1 }
  await updateProvider(site.db, stored)
  if (stored.isEnabled && !before.isEnabled) await countEnabled(site)
  if (!stored.isEnabled && before.isEnabled) await addToTotal(site.db, 'loginProviders', -1)
  await recordChange(site, { verb: 'provider.updated', target: stored.name, before, after: stored })
  return stored
}

/** Its users are disconnected. */
export function removeProvider(
  site: ChangingSite,
  caller: UserCaller,
  { name, checkVersion }: ProviderChange,
): Promise<void> {
  return asAdministrator(site, caller, async (db) => {
    const provider = await requireProvider(db, name)
    checkVersion(provider.version)
    await deleteProvider(db, name)
    if (provider.isEnabled) await addToTotal(db, 'loginProviders', -1)
    await recordChange({ ...site, db }, { verb: 'provider.deleted', target: name, before: provider })
  })
}

/** Moves a provider by one place. Only those whose position changes are written. */
export function moveProvider(
  site: ChangingSite,
  caller: UserCaller,
  { name, isUp }: { name: string; isUp: boolean },
): Promise<void> {
  return asAdministrator(site, caller, async (db, now) => {
    const all = await allProviders(db)
    const from = all.findIndex((provider) => provider.name === name)
    const moved = all[from]
    if (!moved) throw noSuchProvider(name)
    const ordered = all.toSpliced(from, 1).toSpliced(Math.max(from + (isUp ? -1 : 1), 0), 0, moved)
    for (const [sortOrder, provider] of ordered.entries())
      if (provider.sortOrder !== sortOrder)
        await storeEdited({ ...site, db }, provider, { ...provider, sortOrder, updatedAt: now })
  })
}

/** The limit is one of providers in use. */
async function countEnabled({ db, values }: ChangingSite): Promise<void> {
  const limit = limitOf(values, 'SERVICE_MAX_LOGIN_PROVIDERS')
  if (!(await addToTotal(db, 'loginProviders', 1, limit)))
    throw limitReached('SERVICE_MAX_LOGIN_PROVIDERS', limit ?? 0)
}

const sealSecret = (key: Uint8Array, name: string, secret: string): string =>
  secret === '' ? '' : sealText(key, secret, secretOwner(name))

export const secretOwner = (name: string): string => `secret of the login provider ${name}`

/** One transaction under the lock of all providers. */
function asAdministrator<T>(
  site: ChangingSite,
  caller: UserCaller,
  work: (db: SiteDb, now: Date) => Promise<T>,
): Promise<T> {
  return inTransaction(site.db, async (db) => {
    await lockTotal(db, 'loginProviders')
    const now = site.clock.now()
    await checkStillAdministrator(db, caller, now)
    return work(db, now)
  })
}

async function requireProvider(db: SiteDb, name: string): Promise<Provider> {
  const provider = await findProvider(db, name)
  if (!provider) throw noSuchProvider(name)
  return provider
}
