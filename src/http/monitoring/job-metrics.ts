import { Counter, Gauge, type Registry } from 'prom-client'
import type { App } from '../../app.ts'
import { metaLike } from '../../control/index.ts'
import { countJobs } from '../../scheduling/index.ts'

/** Metrics of jobs: counters of this process, gauges of the whole installation. */
export function addJobMetrics(app: App, registry: Registry): void {
  const { control } = app
  const registers = [registry]
  const counted = (
    name: string,
    help: string,
    read: (job: { runs: number; failures: number; seconds: number }) => number,
  ) =>
    new Counter({
      name,
      help,
      registers,
      labelNames: ['job'],
      collect() {
        this.reset()
        for (const [job, counters] of control.jobCounters.jobs) this.inc({ job }, read(counters))
      },
    })
  counted('terrace_job_runs_total', 'Jobs that this process has run.', ({ runs }) => runs)
  counted('terrace_job_failures_total', 'Jobs that failed in this process.', ({ failures }) => failures)
  counted('terrace_job_seconds_total', 'Time that jobs took in this process.', ({ seconds }) => seconds)

  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // While the database is away, the metric is left out and the scrape succeeds.
        const value = await read().catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  const jobs = () => countJobs(control.store.control, control.clock.now())
  gauge('terrace_jobs_due', 'Sites with jobs that wait for a worker.', async () => (await jobs()).due)
  gauge('terrace_jobs_lag_seconds', 'How long the site that waits longest has waited.', async () => {
    const { since } = await jobs()
    return since === undefined ? 0 : (control.clock.now().getTime() - Date.parse(since)) / 1_000
  })
  gauge('terrace_jobs_failing', 'Sites whose jobs fail.', async () => (await jobs()).failing)
  gauge(
    'terrace_damaged_files',
    'Files that were found damaged or missing when they were read.',
    async () => {
      const counts = await metaLike(control.store.control, 'damaged ')
      return [...counts.values()].reduce((sum, count) => sum + Number(count), 0)
    },
  )
}
