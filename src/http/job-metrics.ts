import { Counter, Gauge, type Registry } from 'prom-client'
import type { App } from '../app.ts'
import { countJobs, metaLike } from '../control/index.ts'

/** What happens without a request: what this process has done, and how the whole installation stands. */
export function addJobMetrics(app: App, registry: Registry): void {
  const { control } = app
  const registers = [registry]
  const counted = (
    name: string,
    help: string,
    read: (job: { runs: number; failures: number; seconds: number }) => number,
  ) =>
    new Counter({
      ...{ name, help, registers, labelNames: ['job'] },
      collect() {
        this.reset()
        for (const [job, tally] of control.jobTally.jobs) this.inc({ job }, read(tally))
      },
    })
  counted('terrace_job_runs_total', 'Jobs that this process has run.', ({ runs }) => runs)
  counted('terrace_job_failures_total', 'Jobs that failed in this process.', ({ failures }) => failures)
  counted('terrace_job_seconds_total', 'Time that jobs took in this process.', ({ seconds }) => seconds)

  const asked = (name: string, help: string, ask: () => Promise<number>) =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        // A scrape tells what it can while the database is away.
        const value = await ask().catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  const jobs = () => countJobs(control.store.control, control.clock.now())
  asked('terrace_jobs_due', 'Sites with jobs that wait for a worker.', async () => (await jobs()).due)
  asked('terrace_jobs_lag_seconds', 'How long the site that waits longest has waited.', async () => {
    const { since } = await jobs()
    return since === undefined ? 0 : (control.clock.now().getTime() - Date.parse(since)) / 1_000
  })
  asked('terrace_jobs_failing', 'Sites whose jobs fail.', async () => (await jobs()).failing)
  asked(
    'terrace_damaged_files',
    'Files that were found damaged or missing when they were read.',
    async () => {
      const counts = await metaLike(control.store.control, 'damaged ')
      return [...counts.values()].reduce((sum, count) => sum + Number(count), 0)
    },
  )
}
