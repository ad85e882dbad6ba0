import { Counter, Gauge, type Registry } from 'prom-client'
import type { PurgeSender } from '../../tenants/index.ts'

export function addPurgeMetrics(purges: PurgeSender, registry: Registry): void {
  new Counter({
    name: 'terrace_purges_total',
    help: 'Attempts of this server to send a purge, and purges that it gave up.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(purges.done)) this.inc({ result }, count)
    },
  })
  new Gauge({
    name: 'terrace_purges_waiting',
    aggregator: 'first',
    help: 'Purges of the installation that are not sent yet.',
    registers: [registry],
    async collect() {
      // While the database is away, the metric is left out and the scrape succeeds.
      const count = await purges.waiting().catch(() => undefined)
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
}
