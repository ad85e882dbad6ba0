import type { App } from '../app.ts'
import { deleteMeta, insertJob, upsertDueAt } from '../control/index.ts'
import { settleAgain, visitSoon } from '../tenants/index.ts'
import { doJobs } from './run.ts'
import { timetable } from './timetable.ts'
import { installationSite, runOne } from './visit-installation.ts'

/**
 * Prepares the work of an installation that has just started. A process that was killed may have changed a site
 * without telling: on SQLite its log is still there, on PostgreSQL all sites are looked at in turn.
 */
export async function prepareJobs(app: App, sitesWithLog: readonly number[]): Promise<void> {
  const { control } = app
  const now = control.clock.now()
  if (control.store.kind === 'sqlite') await visitSoon(control, sitesWithLog)
  else {
    await settleAgain(control)
    await deleteMeta(control.store.control, 'job settle-sites')
  }
  await insertJob(control.store.control, installationSite, now)
  await upsertDueAt(control.store.control, installationSite, now)
}

/** The installation has its place among the sites, also where no server has ever run. */
export const prepareInstallation = ({ control }: App): Promise<void> =>
  insertJob(control.store.control, installationSite, control.clock.now())

/** Works in the background until it is disposed: then it finishes its batches and gives its leases back. */
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

/** What every process does for its own machine, whoever works for the sites. */
export function startMachineJobs(app: App): Disposable {
  const tell = (words: string, details: object) => app.log.warn(details, words)
  const timers = timetable.machine.map((job) =>
    setInterval(async () => {
      const { fault } = await runOne(app, job, tell)
      if (fault !== undefined) tell('A job failed', { job: job.name, fault: String(fault) })
    }, job.everyMinutes * 60_000).unref(),
  )
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
