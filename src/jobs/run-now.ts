import type { App } from '../app.ts'
import { recordControlChange } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { readTenant } from '../tenants/index.ts'
import { doJobs, type JobsOptions } from './worker.ts'

interface RunNow extends Pick<JobsOptions, 'signal' | 'onRun'> {
  /** Only this tenant, even if nothing is due. */
  id?: string | undefined
}

/** Runs the due jobs because a person wants it, under the same leases as all workers. The audit log records it. */
export async function runJobsNow(app: App, { id, ...options }: RunNow): Promise<void> {
  const only = id === undefined ? undefined : await installedSite(app, id)
  const { control } = app
  await control.store.changeControl((db) =>
    recordControlChange(control, db, { verb: 'job.run', target: id ?? '' }),
  )
  await doJobs(app, { ...options, only, isOnce: true })
}

/** The site of a tenant whose jobs can run. */
export async function installedSite({ control }: App, id: string): Promise<number> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled)
    throw new Refusal('conflict', 'not-installed', `The tenant "${id}" is not installed.`)
  return tenant.site
}
