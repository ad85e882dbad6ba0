import {
  type Account,
  addUser,
  adminAddressKeys,
  checkedAccount,
  checkPasswordReset,
  createUserKey,
  hashPassword,
  resetPassword,
  userNotFound,
} from '../../accounts/index.ts'
import { type Control, recordControlChange } from '../../control/index.ts'
import { inTransaction } from '../../db/index.ts'
import {
  addToDay,
  allTotals,
  changeSetting,
  changingSite,
  insertTotals,
  type Settings,
  type Site,
  type SiteLocation,
  type SiteValues,
  type Totals,
} from '../../site/index.ts'
import { alreadyInstalled, tenantNotFound } from '../errors.ts'
import { checkIntendedLocation, recordIntendedLocation, wantedLocation } from '../locations/site-locations.ts'
import { openSite, orTenantNotFound } from '../open-site.ts'
import { markInstalled } from '../sites-table.ts'
import { readTenant, storedTenant, type Tenant, type TenantWithStats, tenantOfRow } from '../tenants.ts'
import { findTenant } from '../tenants-table.ts'
import { valuesOfTenant } from '../values/effective.ts'

export interface Installation {
  tenant: TenantWithStats
  /** The admin's upload key; only its hash is stored. */
  apiKey: string
}

/**
 * Creates a site's tables with their first user. They are built as a draft and published under the control lock:
 * of concurrent installs one wins, and a killed one leaves only a draft.
 */
export async function installTenant(
  control: Control,
  id: string,
  account: Account,
  settings: Partial<Settings> = {},
): Promise<Installation> {
  const tenant = await readTenant(control, id)
  const { username } = checkedAccount(account)
  if (tenant.isInstalled) throw alreadyInstalled(id)
  const values = await valuesOfTenant(control, id)
  await using draft = await draftTables(control, { tenant, values, account, settings })
  return await control.store.changeControl(async (db) => {
    const row = await findTenant(db, id)
    if (row?.site !== tenant.site) throw tenantNotFound()
    if (row.installedAt !== null) throw alreadyInstalled(id)
    checkIntendedLocation(control, row, draft.location)
    const { stats, admins, apiKey } = await draft.publish()
    const installed = { installedAt: control.clock.now().toISOString(), stats, admins }
    await markInstalled(db, tenant.site, installed)
    await recordControlChange(control, db, { verb: 'tenant.installed', target: id, after: { username } })
    return { tenant: tenantOfRow(control, { ...row, ...installed }), apiKey }
  })
}

interface Drafted {
  /** Only its number, its id and its location need to be stored by now. */
  tenant: Tenant
  values: SiteValues
  account: Account
  settings: Partial<Settings>
}

export interface DraftedTables extends AsyncDisposable {
  location: SiteLocation | undefined
  /** On PostgreSQL the tables are built by this, since no row can be put aside. */
  publish(): Promise<{ apiKey: string; stats: string; admins: string }>
}

/** Builds the tables of a site where its values say. The caller publishes them, or nothing is left of them. */
export async function draftTables(
  control: Control,
  { tenant, values, account, settings }: Drafted,
): Promise<DraftedTables> {
  const { username, email, password } = account
  const location = await recordIntendedLocation(control, tenant, wantedLocation(control, values))
  const store = await control.backends.store(location?.database)
  const made = { apiKey: '', admins: '', totals: undefined as Totals | undefined }

  const passwordHash = await hashPassword(password)
  // A database that was made anew counts its sites anew: the head of an earlier site may have this number.
  await control.sites.auditLogs.forget(tenant.site)
  const draft = await store.draftSite(tenant.site, async (db) => {
    const address = { number: tenant.site, hostname: tenant.hostname, values }
    // The stats of a draft are written with its control row.
    const site = changingSite(control.sites.over(db, address))
    await insertTotals(db)
    // Days before the first view are known to have none.
    await addToDay(site, { views: 0 })
    // The default is 0: addresses that older sites have given out must stay valid.
    await changeSetting(site, 'protect_bytes', '1')
    for (const [name, value] of Object.entries(settings)) await changeSetting(site, name, value)
    const admin = await addUser(site, { username, email, passwordHash, role: 'admin' })
    made.apiKey = await createUserKey(site, { userId: admin.id, name: 'install' })
    made.totals = await allTotals(db)
    made.admins = (await adminAddressKeys(db)).join('\n')
  })
  return {
    location,
    async publish() {
      await draft.publish()
      return { apiKey: made.apiKey, stats: JSON.stringify(made.totals), admins: made.admins }
    },
    [Symbol.asyncDispose]: () => draft.discard(),
  }
}

interface PasswordReset {
  username: string
  password?: string | undefined
}

/**
 * Gives a user of a site a new password, and lets the caller notify the user. A site that is not installed has no users.
 */
export async function resetUserPassword(
  control: Control,
  id: string,
  input: PasswordReset,
  notifyUser: (site: Site, userId: string) => Promise<void>,
): Promise<{ username: string; password: string }> {
  // Uncached: another server may have deleted the tenant since this cache was filled.
  const tenant = await storedTenant(control, control.store.control, id)
  if (!tenant.isInstalled) throw userNotFound(input.username)
  await using site = await openSite(control, tenant)
  const { userId, ...shown } = await orTenantNotFound(control, tenant, async () => {
    const target = await checkPasswordReset(site, input)
    // Before the change, in a transaction of its own: no transaction reaches two databases, and a password that was reset
    // without a row would be worse than a row of a reset that a kill has prevented. The site's own log has the change itself.
    await inTransaction(control.store.control, (db) =>
      recordControlChange(control, db, { verb: 'user.password_reset', target, after: { tenantId: id } }),
    )
    // No stats depend on a password, so that the reset need not wait for the control lock.
    return resetPassword(changingSite(site), input)
  })
  await notifyUser(site, userId)
  return shown
}
