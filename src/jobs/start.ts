import type { App } from '../app.ts'
import { deleteMeta } from '../control/index.ts'
import { insertJob, upsertDueAt } from '../scheduling/index.ts'
import { runSoon } from '../tenants/index.ts'
import { installationSite, runOne } from './run-installation-jobs.ts'
import { schedule } from './schedule.ts'
import { doJobs } from './worker.ts'

/**
 * Schedules the work after a killed process, which may have changed a site without syncing its stats: on SQLite the
 * site's write-ahead log is still there, on PostgreSQL its change records, which a job reads.
 */
export async function prepareJobs({ control }: App, uncleanSites: readonly number[]): Promise<void> {
  for (const site of uncleanSites) control.sites.purges?.add(site)
  if (control.store.kind === 'sqlite') await runSoon(control, uncleanSites)
  else await deleteMeta(control.store.control, 'job reconcile-sites')
}

/** Schedules the installation's own jobs for now, as after every start. */
export async function scheduleInstallation({ control }: App): Promise<void> {
  const now = control.clock.now()
  await insertJob(control.store.control, installationSite, now)
  await upsertDueAt(control.store.control, installationSite, now)
}

/** Makes the schedule row of the installation's own jobs, for a tool that runs before any server. */
export const prepareInstallation = ({ control }: App): Promise<void> =>
  insertJob(control.store.control, installationSite, control.clock.now())

/** Runs jobs in the background until it is disposed: then it finishes its batches and releases its leases. */
export function startJobs(app: App): AsyncDisposable {
  const stop = new AbortController()
  const ended = doJobs(app, { signal: stop.signal })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended
    },
  }
}

/** Runs the jobs of this machine, also in a process that runs no jobs of sites. */
export function startMachineJobs(app: App): Disposable {
  const warn = (message: string, details: object) => app.log.warn(details, message)
  const timers = schedule.machine.map((job) =>
    setInterval(async () => {
      const { fault } = await runOne(app, job, warn)
      if (fault !== undefined) warn('A job failed', { job: job.name, fault: String(fault) })
    }, job.everyMinutes * 60_000).unref(),
  )
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
