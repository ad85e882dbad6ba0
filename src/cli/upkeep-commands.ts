import type { App } from '../app.ts'
import { Refusal } from '../lib/refusal.ts'
import {
  countTenants,
  installedSites,
  listTenants,
  migrateSite,
  readTenant,
  refreshStats,
} from '../tenants/index.ts'
import { eachOne } from './each-one.ts'
import { progressOn } from './progress.ts'
import type { Session } from './session.ts'

export async function refreshAllStats(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const ids = id === undefined ? idsOfTenants(app) : [(await readTenant(app.control, id)).id]
  const total = id === undefined ? await countTenants(app.control.store.control) : 1
  const refreshed = await withProgress(session, 'tenants counted', total, (onStep) =>
    eachOne({
      items: ids,
      nameOf: (each) => each,
      work: (each) => refreshStats(app.control, each).catch(ignoreIfGone),
      onStep,
      trouble: (failed, all) => `${failed} of ${all} tenants could not be counted:`,
    }),
  )
  session.answer({ refreshed }, () => `Counted ${counted(refreshed, 'tenant')} anew.`)
}

async function* idsOfTenants(app: App): AsyncGenerator<string> {
  for await (const page of listTenants(app.control)) for (const tenant of page) yield tenant.id
}

/** A tenant that is deleted while we are on our way to it needs nothing more. */
function ignoreIfGone(error: unknown): void {
  if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error
}

export async function migrate(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const sites = await sitesOf(app, id)
  const migrated = await withProgress(session, 'sites up to date', sites.length, (onStep) =>
    eachOne({
      items: sites,
      nameOf: (site) => site.name,
      work: (site) => migrateSite(app.control, site.number),
      onStep,
      trouble: (failed, all) => `${failed} of ${all} sites could not be brought up to date:`,
    }),
  )
  session.answer({ migrated }, () => `The control tables and ${counted(migrated, 'site')} are up to date.`)
}

async function sitesOf(app: App, id: string | undefined): Promise<{ number: number; name: string }[]> {
  if (id === undefined) {
    const sites = await installedSites(app.control.store.control)
    return sites.map(({ number, idKey }) => ({ number, name: idKey }))
  }
  const tenant = await readTenant(app.control, id)
  return tenant.isInstalled ? [{ number: tenant.site, name: id }] : []
}

async function withProgress<T>(
  session: Session,
  what: string,
  total: number,
  work: (onStep: (done: number) => void) => Promise<T>,
): Promise<T> {
  using progress = progressOn(session.err, what, total)
  return await work(progress.step)
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
