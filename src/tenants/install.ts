import {
  type Account,
  addUser,
  checkedAccount,
  createUserKey,
  hashPassword,
  resetPassword,
  userNotFound,
} from '../accounts/index.ts'
import type { Control } from '../control/index.ts'
import { allTotals, insertTotals, type Totals } from '../site/index.ts'
import { announcePlace, checkAnnounced } from './announced-place.ts'
import { valuesOfTenant } from './effective.ts'
import { alreadyInstalled, tenantNotFound } from './errors.ts'
import { openSite, whileThere } from './open-site.ts'
import { wantedPlace } from './site-places.ts'
import { markInstalled } from './sites-table.ts'
import { readTenant, storedTenant, type ToldTenant, tenantOfRow } from './tenants.ts'
import { findTenant } from './tenants-table.ts'

export interface Installation {
  tenant: ToldTenant
  /** The admin's upload key, told this once. */
  apiKey: string
}

/**
 * Makes a site's tables with their first user. All is built aside and put in place under the control lock,
 * so that of several installs one wins, and a killed one leaves nothing that counts.
 */
export async function installTenant(control: Control, id: string, account: Account): Promise<Installation> {
  const tenant = await readTenant(control, id)
  const { username, email, password } = checkedAccount(account)
  if (tenant.isInstalled) throw alreadyInstalled(id)
  const values = await valuesOfTenant(control, id)
  const place = await announcePlace(control, tenant, wantedPlace(control, values))
  const store = await control.places.store(place?.database)
  const made = { apiKey: '', totals: undefined as Totals | undefined }

  const passwordHash = await hashPassword(password)
  const draft = await store.draftSite(tenant.site, async (db) => {
    const site = control.sites.over(db, { number: tenant.site, hostname: tenant.hostname, values })
    await insertTotals(db)
    const admin = await addUser(site, { username, email, passwordHash, role: 'admin' })
    made.apiKey = await createUserKey(site, { userId: admin.id, name: 'install' })
    made.totals = await allTotals(db)
  })
  try {
    return await control.store.changeControl(async (db) => {
      const row = await findTenant(db, id)
      if (row?.site !== tenant.site) throw tenantNotFound()
      if (row.installedAt !== null) throw alreadyInstalled(id)
      checkAnnounced(control, row, place)
      await draft.place()
      const installed = { installedAt: control.clock.now().toISOString(), stats: JSON.stringify(made.totals) }
      await markInstalled(db, tenant.site, installed)
      return { tenant: tenantOfRow(control, { ...row, ...installed }), apiKey: made.apiKey }
    })
  } finally {
    await draft.discard()
  }
}

interface PasswordReset {
  username: string
  password?: string | undefined
}

/** Gives a user of a site a new password. A site without tables has no users. */
export async function resetUserPassword(control: Control, id: string, input: PasswordReset) {
  // From the rows: another server may have deleted it since this one last heard.
  const tenant = await storedTenant(control, control.store.control, id)
  if (!tenant.isInstalled) throw userNotFound(input.username)
  await using site = await openSite(control, tenant)
  return await whileThere(control, tenant, () => resetPassword(site, input))
}
