import { type Control, deleteJob, deleteMeta } from '../control/index.ts'
import { dropCopies } from './drop-copies.ts'
import { tenantNotFound } from './errors.ts'
import { deleteSiteRow, droppingSites, updateSiteState } from './sites-table.ts'
import { deleteTenantRow, findTenant } from './tenants-table.ts'

/**
 * Removes a tenant: its host stops at once. Its site is kept for a tenant of the same id,
 * or dropped, which is decided here and carried out by steps that may be repeated.
 */
export async function deleteTenant(
  control: Control,
  id: string,
  options: { dropTables: boolean },
): Promise<void> {
  const site = await control.store.changeControl(async (db) => {
    const tenant = await findTenant(db, id)
    if (!tenant) throw tenantNotFound()
    await deleteTenantRow(db, id)
    await updateSiteState(db, tenant.site, options.dropTables ? 'dropping' : 'kept')
    return tenant.site
  })
  if (options.dropTables) await dropSite(control, site)
  else await control.sites.close(site)
}

/** Carries on what a stopped process left: run at every start, and again later. Tells how many there were. */
export async function finishDrops(control: Control): Promise<number> {
  const sites = await droppingSites(control.store.control)
  // One whose place is away must not keep the others waiting, nor the server from starting.
  const outcomes = await Promise.allSettled(sites.map((site) => dropSite(control, site)))
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

async function dropSite(control: Control, site: number): Promise<void> {
  await control.sites.close(site)
  // Rows first: an upload that cannot have its row takes its bytes back.
  await dropCopies(control, site)
  const isLeft = control.sites.whenLeft(site)
  if (!isLeft) {
    return control.store.changeControl(async (db) => {
      await deleteJob(db, site)
      await deleteMeta(db, `damaged ${site}`)
      await deleteSiteRow(db, site)
    })
  }
  // Those still at work there may have stored something since. If we are stopped before, the next start does this.
  void isLeft.then(() => dropSite(control, site)).catch(() => undefined)
}
