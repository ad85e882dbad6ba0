import type { Control } from '../control/index.ts'
import type { Site } from '../site/index.ts'
import { openSite, readTenant } from '../tenants/index.ts'
import type { Session } from './session.ts'

/** Opens a tenant's site for a piece of work, and closes everything behind it. */
export async function onSite<T>(
  session: Session,
  tenant: string,
  work: (site: Site, control: Control) => Promise<T>,
): Promise<T> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  return await work(site, app.control)
}
