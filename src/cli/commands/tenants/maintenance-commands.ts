import type { App } from '../../../app.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  countTenants,
  distributeTables,
  installedSites,
  listTenants,
  migrateSite,
  readTenant,
  refreshStats,
} from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { counted } from '../../terminal/counted.ts'
import { withProgress } from '../../terminal/progress.ts'
import { tryEach } from './try-each.ts'

export async function refreshAllStats(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const ids = id === undefined ? idsOfTenants(app) : [(await readTenant(app.control, id)).id]
  const total = id === undefined ? await countTenants(app.control.store.control) : 1
  const refreshed = await withProgress(session.err, 'tenants counted', (onStep) =>
    tryEach({
      items: ids,
      nameOf: (each) => each,
      work: (each) => refreshStats(app.control, each).catch(ignoreIfDeleted),
      onStep: (done) => onStep(done, total),
      failureText: (failed, all) => `${failed} of ${all} tenants could not be counted:`,
    }),
  )
  session.answer({ refreshed }, () => `Recounted ${counted(refreshed, 'tenant')}.`)
}

async function* idsOfTenants(app: App): AsyncGenerator<string> {
  for await (const page of listTenants(app.control)) for (const tenant of page) yield tenant.id
}

/** A tenant may be deleted after it was listed; then there is nothing to count. */
function ignoreIfDeleted(error: unknown): void {
  if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error
}

export async function migrate(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const sites = await sitesOf(app, id)
  const migrated = await withProgress(session.err, 'sites up to date', (onStep) =>
    tryEach({
      items: sites,
      nameOf: (site) => site.name,
      work: (site) => migrateSite(app.control, site.number),
      onStep: (done) => onStep(done, sites.length),
      failureText: (failed, all) => `${failed} of ${all} sites could not be brought up to date:`,
    }),
  )
  session.answer({ migrated }, () => `The control tables and ${counted(migrated, 'site')} are up to date.`)
}

export async function distribute(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const tables = await distributeTables(app.control, id)
  session.answer({ distributed: tables }, () =>
    tables.length === 0
      ? 'The tables of sites are already distributed.'
      : `Distributed ${counted(tables.length, 'table')} by site.`,
  )
}

async function sitesOf(app: App, id: string | undefined): Promise<{ number: number; name: string }[]> {
  if (id === undefined) {
    const sites = await installedSites(app.control.store.control)
    return sites.map(({ number, idKey }) => ({ number, name: idKey }))
  }
  const tenant = await readTenant(app.control, id)
  return tenant.isInstalled ? [{ number: tenant.site, name: id }] : []
}
