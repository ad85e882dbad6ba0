import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { type TakenLease, takeDueSites } from '../control/index.ts'
import { faultText, type Visit, visitSite } from '../tenants/index.ts'
import { installationSite, visitInstallation } from './visit-installation.ts'

export interface JobsOptions {
  /** Asks to stop: batches that are begun are finished, and leases given back. */
  signal: AbortSignal
  /** This site and no other. */
  only?: number | undefined
  /** Ends when nothing is due any more, in place of waiting for more. One that is named is then visited in any case. */
  isOnce?: boolean
  onVisit?: (visit: Visit) => void
  /** How often somebody looks whether a site has come due. */
  askEveryMs?: number
}

/** So many sites at once. */
const mostAtOnce = 4
/** One question of an index: whoever waits for a worker waits no longer than this, and the least interval of its site. */
const usualAskMs = 5_000
/** Then it is again due at once, behind the others. */
const sliceMs = 20_000

/** Visits the sites that have something to do, as they come due. One's trouble or slowness keeps nobody waiting. */
export async function doJobs(app: App, options: JobsOptions): Promise<void> {
  const { signal, isOnce = false } = options
  const running = new Set<Promise<void>>()
  const named = namedOnce(options)
  while (!signal.aborted) {
    const free = mostAtOnce - running.size
    const leases = free === 0 ? [] : await takeSome(app, { limit: free, ...named() }, isOnce)
    for (const lease of leases) {
      const visit = visitOne(app, lease, options).finally(() => running.delete(visit))
      running.add(visit)
    }
    if (isOnce && running.size === 0) break
    const isMore = leases.length === free
    if (isMore || isOnce) await Promise.race(running)
    else await rest(running, options)
  }
  await Promise.all(running)
}

function namedOnce({ only, isOnce }: JobsOptions) {
  let isAsked = isOnce === true && only !== undefined
  return () => {
    const which = { only, isAsked }
    isAsked = false
    return which
  }
}

/** Until it is time to ask again, or a place is free. */
async function rest(running: ReadonlySet<Promise<void>>, options: JobsOptions): Promise<void> {
  const { signal, askEveryMs = usualAskMs } = options
  const early = new AbortController()
  const pause = sleep(askEveryMs, undefined, { signal: AbortSignal.any([signal, early.signal]) })
  await Promise.race([...running, pause.catch(() => undefined)])
  early.abort()
}

/** While the database is away there is nothing to do but to ask again. */
async function takeSome(app: App, which: Parameters<typeof takeDueSites>[1], isOnce: boolean) {
  try {
    return await takeDueSites(app.control, which)
  } catch (error) {
    if (isOnce) throw error
    app.log.warn({ error: faultText(error) }, 'Jobs could not be looked for')
    return []
  }
}

async function visitOne(app: App, lease: TakenLease, { signal, onVisit }: JobsOptions): Promise<void> {
  const tell = (words: string, details: object) => app.log.warn({ site: lease.site, ...details }, words)
  try {
    const visit =
      lease.site === installationSite
        ? await visitInstallation(app, lease, { signal, tell })
        : await visitSite(app.control, lease, { signal, tell, sliceMs })
    logVisit(app, lease, visit)
    onVisit?.(visit)
  } catch (error) {
    // Its lease ends by itself, and somebody tries again.
    app.log.error({ site: lease.site, error: faultText(error) }, 'A visit broke off')
  }
}

/** Trouble is told when it begins, changes and ends, and not at every try. */
function logVisit(
  { log }: App,
  lease: TakenLease,
  { site, tenant, outcome, done, seconds, fault }: Visit,
): void {
  const text = fault === undefined ? null : faultText(fault)
  if (text !== null && text !== lease.fault) log.error({ site, tenant, fault: text }, 'Jobs fail here')
  else if (outcome === 'lost') log.warn({ site, tenant }, 'Another worker has taken over')
  else if (text === null && lease.fault !== null) log.info({ site, tenant }, 'Jobs work here again')
  const isWorth = Object.values(done).some((count) => count > 0)
  log[isWorth ? 'info' : 'debug']({ site, tenant, outcome, done, seconds }, 'Jobs were done')
}
