import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { openSpool, spoolFolderOf } from '../http/uploads/source/spool.ts'
import { faultText, type TakenLease, takeDueSites } from '../scheduling/index.ts'
import { installationSite, runInstallationJobs } from './run-installation-jobs.ts'
import { type JobRun, runSiteJobs } from './run-site-jobs.ts'

export interface JobsOptions {
  /** Aborted to stop: running batches are finished and leases released. */
  signal: AbortSignal
  /** Only this site. */
  only?: number | undefined
  /** Returns when nothing is due any more. A site named by `only` is run even if nothing is due. */
  isOnce?: boolean
  onRun?: (run: JobRun) => void
  /** How often due sites are looked up. */
  pollEveryMs?: number
}

const maxParallelSites = 4
/** One index lookup. A due site waits at most this long, plus its own minimum interval. */
const defaultPollMs = 5_000
/** The longest run on one site; then it is due again at once, behind the others. */
const sliceMs = 20_000

/** Runs the jobs of sites as they come due. A failing or slow site does not delay the others. */
export async function doJobs(app: App, options: JobsOptions): Promise<void> {
  const { signal, isOnce = false } = options
  const running = new Set<Promise<void>>()
  const named = namedOnce(options)
  while (!signal.aborted) {
    const free = maxParallelSites - running.size
    const leases = free === 0 ? [] : await takeLeases(app, { limit: free, ...named() }, isOnce)
    for (const lease of leases) {
      const run = runLeased(app, lease, options).finally(() => running.delete(run))
      running.add(run)
    }
    if (isOnce && running.size === 0) break
    const isMore = leases.length === free
    if (isMore || isOnce) await Promise.race(running)
    else await waitForPoll(running, options)
  }
  await Promise.all(running)
}

function namedOnce({ only, isOnce }: JobsOptions) {
  let isForced = isOnce === true && only !== undefined
  return () => {
    const which = { only, isForced }
    isForced = false
    return which
  }
}

/** Waits until the next poll, or until a run has ended. */
async function waitForPoll(running: ReadonlySet<Promise<void>>, options: JobsOptions): Promise<void> {
  const { signal, pollEveryMs = defaultPollMs } = options
  const early = new AbortController()
  const pause = sleep(pollEveryMs, undefined, { signal: AbortSignal.any([signal, early.signal]) })
  await Promise.race([...running, pause.catch(() => undefined)])
  early.abort()
}

/** If the database is unavailable, the worker polls again later. */
async function takeLeases(app: App, which: Parameters<typeof takeDueSites>[1], isOnce: boolean) {
  try {
    return await takeDueSites(app.control, which)
  } catch (error) {
    if (isOnce) throw error
    app.log.warn({ error: faultText(error) }, 'Due jobs could not be looked up')
    return []
  }
}

async function runLeased(app: App, lease: TakenLease, { signal, onRun }: JobsOptions): Promise<void> {
  const warn = (message: string, details: object) => app.log.warn({ site: lease.site, ...details }, message)
  try {
    const run =
      lease.site === installationSite
        ? await runInstallationJobs(app, lease, { signal, warn })
        : await runSiteJobs(app.control, lease, {
            signal,
            warn,
            sliceMs,
            openFolder: () => openSpool(spoolFolderOf(app)),
          })
    logRun(app, lease, run)
    onRun?.(run)
  } catch (error) {
    // The lease expires, and a worker tries again.
    app.log.error({ site: lease.site, error: faultText(error) }, 'A job run was aborted by an error')
  }
}

/** A fault is logged when it begins, changes and ends, and not at every retry. */
function logRun(
  { log }: App,
  lease: TakenLease,
  { site, tenant, outcome, done, seconds, fault }: JobRun,
): void {
  const text = fault === undefined ? null : faultText(fault)
  if (text !== null && text !== lease.fault)
    log.error({ site, tenant, fault: text }, 'Jobs of this site fail')
  else if (outcome === 'lost') log.warn({ site, tenant }, 'Another worker has taken over this site')
  else if (text === null && lease.fault !== null) log.info({ site, tenant }, 'Jobs of this site work again')
  const hasDone = Object.values(done).some((count) => count > 0)
  log[hasDone ? 'info' : 'debug']({ site, tenant, outcome, done, seconds }, 'Jobs were done')
}
