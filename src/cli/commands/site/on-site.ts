import type { App } from '../../../app.ts'
import { authoredBy, type ChangingSite, type Site } from '../../../site/index.ts'
import { changeSite, openSite, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'

/** Opens a tenant's site for a piece of work that only reads, and closes everything behind it. */
export async function onSite<T>(
  session: Session,
  tenant: string,
  work: (site: Site) => Promise<T>,
): Promise<T> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  return await work(site)
}

interface Options<T> {
  /** Notifies a user by mail of a change; the mail is sent before the tool ends. */
  notify?: (call: { app: App; site: Site }, changed: T) => Promise<void>
}

/** Opens a tenant's site for a change, and closes everything behind it. */
export async function changeOnSite<T>(
  session: Session,
  tenant: string,
  work: (site: ChangingSite) => Promise<T>,
  { notify }: Options<T> = {},
): Promise<T> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const changed = await changeSite(app.control, authoredBy(site, { kind: 'tool' }), work)
  await notify?.({ app, site }, changed)
  return changed
}
