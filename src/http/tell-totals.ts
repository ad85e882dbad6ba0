import type { App } from '../app.ts'
import type { Site } from '../site/index.ts'
import { publishTotals } from '../tenants/index.ts'

/** The change is made for good, whether or not the installation can be told of it now; the next one tells of both. */
export async function tellTotals(app: App, site: Site): Promise<void> {
  await publishTotals(app.control, site).catch((error) =>
    app.log.warn({ site: site.number, error: String(error) }, 'The totals of a site could not be told'),
  )
}
