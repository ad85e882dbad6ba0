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

/** Opens a tenant's site for a change, and closes everything behind it. */
export async function changeOnSite<T>(
  session: Session,
  tenant: string,
  work: (site: ChangingSite) => Promise<T>,
  options: { isPartial?: boolean } = {},
): Promise<T> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  return await changeSite(app.control, authoredBy(site, { kind: 'tool' }), work, options)
}
