import { doJobs, type JobRun } from '../../src/jobs/index.ts'
import { recountTotals } from '../../src/site/index.ts'
import { syncStats } from '../../src/tenants/index.ts'
import type { TestApp } from './harness.ts'
import { onSiteOf, type TestTenant } from './uploads.ts'

/** Runs all jobs that are due now, as a worker with `--once` does, and returns the job runs on tenants' sites. */
export async function doDueJobs(app: TestApp, tenant?: TestTenant): Promise<JobRun[]> {
  const runs: JobRun[] = []
  const only = tenant && (await onSiteOf(app, tenant, async (site) => site.number))
  const { signal } = new AbortController()
  await doJobs(app.app, { signal, only, isOnce: true, onRun: (run) => runs.push(run) })
  return runs.filter(({ site }) => site !== 0)
}

/** Every row of a site that stands for a file or for bytes, and every stored key. */
export function leftoversOf(app: TestApp, tenant: TestTenant) {
  return onSiteOf(app, tenant, async (site) => {
    const [files, removals, tags] = await Promise.all([
      site.db.selectFrom('file').select('id').execute(),
      site.db.selectFrom('removal').select('path').execute(),
      site.db.selectFrom('fileTag').select('fileId').execute(),
    ])
    const keys = (await site.storage.list('', undefined, 1_000)).map(({ key }) => key)
    return { files: files.length, removals: removals.length, tags: tags.length, keys }
  })
}

export const jobRowOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, ({ number }) =>
    app.app.control.store.control.selectFrom('job').selectAll().where('site', '=', number).executeTakeFirst(),
  )

/** Gives a site's first file so many siblings, which have no bytes. */
export function copyFiles(app: TestApp, tenant: TestTenant, count: number): Promise<void> {
  return onSiteOf(app, tenant, async (site) => {
    const { site: _, ...row }: any = await site.db.selectFrom('file').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: count }, (_each, index) => ({
      ...row,
      id: `copy${index}`,
      name: `copy${index}`,
      nameKey: `copy${index}`,
      views: 2,
    }))
    for (let from = 0; from < rows.length; from += 50)
      await site.db
        .insertInto('file')
        .values(rows.slice(from, from + 50))
        .execute()
    await recountTotals(site)
    await syncStats(app.app.control, site)
  })
}
