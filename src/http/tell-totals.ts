import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Site } from '../site/index.ts'
import { publishTotals } from '../tenants/index.ts'

/** A database that was started again is back within this time. */
const patienceMs = 5_000
const pauseMs = 100

/**
 * The change is made for good, whether or not the installation can be told of it now. Who made it is answered when it
 * is told, so that it counts in whatever is read next; when that takes too long, the next change tells of both.
 */
export async function tellTotals(app: App, site: Site): Promise<void> {
  for (const until = performance.now() + patienceMs; ; await sleep(pauseMs)) {
    try {
      return await publishTotals(app.control, site)
    } catch (error) {
      // A disk does not come back by itself.
      const isAway = error instanceof Refusal && error.kind === 'unavailable'
      const mayPass = isAway && app.control.store.kind === 'postgres'
      if (mayPass && performance.now() < until) continue
      app.log.warn({ site: site.number, error: String(error) }, 'The totals of a site could not be told')
      return
    }
  }
}
