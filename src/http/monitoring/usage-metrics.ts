import { Counter, Gauge, type Registry } from 'prom-client'
import type { App } from '../../app.ts'
import type { ProcessCounters, TotalName, Totals } from '../../site/index.ts'
import { sumOfTenants } from '../../tenants/index.ts'

/** Without tenants' names: what this server has done, and what the installation holds. */
export function addUsageMetrics({ control, imaging }: App, registry: Registry): void {
  const registers = [registry]
  const done = (name: string, counted: keyof ProcessCounters['done'], help: string) =>
    new Counter({
      name: `terrace_${name}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(control.counters.done[counted])
      },
    })
  done('uploads', 'uploads', 'Files and replacements that this server has stored.')
  done('upload_bytes', 'uploadBytes', 'Bytes of them, as they were sent.')
  done('downloads', 'downloads', 'Files that this server has sent, without variants and later parts.')
  done('traffic_bytes', 'trafficBytes', 'Bytes of files and variants that this server has sent.')
  done('views', 'views', 'Views of files that this server has counted.')
  done('api_requests', 'apiRequests', 'Requests to the APIs of sites that this server has answered.')
  new Counter({
    name: 'terrace_transforms_total',
    help: 'Pictures in other sizes and formats that this server has made or sent.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      this.inc({ result: 'made' }, control.counters.done.transforms)
      this.inc({ result: 'hit' }, control.counters.done.transformHits)
      this.inc({ result: 'fallback' }, control.counters.done.transformFallbacks)
    },
  })
  new Counter({
    name: 'terrace_decoder_jobs_total',
    help: 'Jobs that decoders of this server have begun.',
    labelNames: ['lane'],
    registers,
    collect() {
      this.reset()
      for (const [lane, count] of Object.entries(imaging.begun)) this.inc({ lane }, count)
    },
  })
  new Counter({
    name: 'terrace_quota_refusals_total',
    help: 'Changes that this server has refused because of a limit.',
    labelNames: ['limit'],
    registers,
    collect() {
      this.reset()
      for (const [limit, count] of control.counters.quotaRefusals) this.inc({ limit }, count)
    },
  })

  // All gauges of a scrape share one read of the stats.
  let reading: Promise<Totals | undefined> | undefined
  const readSums = (): Promise<Totals | undefined> => {
    reading ??= sumOfTenants(control)
      // While the database is away, the metrics are left out and the scrape succeeds.
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const held = (name: string, total: TotalName, help: string) =>
    new Gauge({
      name: `terrace_${name}`,
      aggregator: 'first',
      help,
      registers,
      async collect() {
        const sums = await readSums()
        if (sums === undefined) this.remove()
        else this.set(sums[total])
      },
    })
  held('files', 'files', 'Files of all tenants, without the trash.')
  held('storage_bytes', 'storageUsed', 'Bytes of all files and variants, with trash and earlier revisions.')
  held('derived_bytes', 'derivedBytes', 'Bytes of kept pictures in other sizes and formats.')
  held('users', 'users', 'Users of all tenants.')
}
