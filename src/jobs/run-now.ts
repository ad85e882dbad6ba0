import type { App } from '../app.ts'
import { recordControlChange } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { readTenant } from '../tenants/index.ts'
import type { JobRun } from './run-site-jobs.ts'
import { doJobs, type JobsOptions } from './worker.ts'

interface RunNow extends Pick<JobsOptions, 'signal'> {
  /** Only this tenant, even if nothing is due. */
  id?: string | undefined
  onRun?: (run: JobRun) => void
}

/**
 * Runs the due jobs once, under the same leases as all workers; returns how many runs there were. A person who names a tenant
 * wants it, so the audit log records it; a schedule that runs all of them each minute would fill the log.
 */
export async function runJobsNow(app: App, { id, signal, onRun = () => undefined }: RunNow): Promise<number> {
  const only = id === undefined ? undefined : await installedSite(app, id)
  const { control } = app
  if (id !== undefined)
    await control.store.changeControl((db) =>
      recordControlChange(control, db, { verb: 'job.run', target: id }),
    )
  let runs = 0
  const countRun = (run: JobRun) => {
    runs += 1
    onRun(run)
  }
  await doJobs(app, { signal, onRun: countRun, only, isOnce: true })
  return runs
}

/** The site of a tenant whose jobs can run. */
export async function installedSite({ control }: App, id: string): Promise<number> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled)
    throw new Refusal('conflict', 'not-installed', `The tenant "${id}" is not installed.`)
  return tenant.site
}
