import { type Control, deleteMeta, recordControlChange } from '../../control/index.ts'
import { deleteJob } from '../../scheduling/index.ts'
import { recordedEnv, recordedTenant } from '../edit-tenants.ts'
import { tenantNotFound } from '../errors.ts'
import { dropCopies } from '../locations/drop-copies.ts'
import { deleteSiteRow, droppingSites, updateSiteState } from '../sites-table.ts'
import { writeAllPendingStatsOf } from '../stats/pending-stats.ts'
import { deleteTenantRow, findTenant } from '../tenants-table.ts'

/**
 * Deletes a tenant: requests to its host are refused at once. Its site is kept for a later tenant with this id,
 * or marked as dropping and then dropped in steps that may be repeated.
 */
export async function deleteTenant(
  control: Control,
  id: string,
  options: { dropTables: boolean },
): Promise<void> {
  if (!options.dropTables) await keepViews(control, id)
  const site = await control.store.changeControl(async (db) => {
    const tenant = await findTenant(db, id)
    if (!tenant) throw tenantNotFound()
    await deleteTenantRow(db, id)
    await updateSiteState(db, tenant.site, options.dropTables ? 'dropping' : 'kept')
    await recordControlChange(control, db, {
      verb: 'tenant.deleted',
      target: id,
      before: recordedTenant(tenant, recordedEnv(control, tenant)),
      after: { tables: options.dropTables ? 'dropped' : 'kept' },
    })
    return tenant.site
  })
  control.pendingStats.forget(site)
  if (options.dropTables) await dropSite(control, site)
  else await control.sites.close(site)
}

/** Writes pending views to the rows that are kept. Views that cannot be written now are lost. */
async function keepViews(control: Control, id: string): Promise<void> {
  const tenant = await findTenant(control.store.control, id)
  if (tenant) await writeAllPendingStatsOf(control, tenant.site).catch(() => undefined)
}

/** Drops the sites whose drop was interrupted. Runs at every start and as a job. Returns the number of sites dropped. */
export async function finishDrops(control: Control): Promise<number> {
  const sites = await droppingSites(control.store.control)
  // A site whose database or storage is unavailable must not delay the others, nor the start of the server.
  const outcomes = await Promise.allSettled(sites.map((site) => dropSite(control, site)))
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

/** Drops a site that is marked as dropping. May be repeated. */
export async function dropSite(control: Control, site: number): Promise<void> {
  await control.sites.close(site)
  await control.sites.auditLogs.forget(site)
  await dropCopies(control, site)
  const closed = control.sites.whenUnused(site)
  if (!closed) {
    return control.store.changeControl(async (db) => {
      // In the order in which `syncJobRun` locks them.
      await deleteSiteRow(db, site)
      await deleteJob(db, site)
      await deleteMeta(db, `damaged ${site}`)
    })
  }
  // Requests that still use the site may store more: drop it again after the last one. After a kill, the next start does.
  void closed.then(() => dropSite(control, site)).catch(() => undefined)
}
