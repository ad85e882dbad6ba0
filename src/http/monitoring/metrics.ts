import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { badKey, metaLike } from '../../control/index.ts'
import { countJobs } from '../../scheduling/index.ts'
import { countQuotaSites, countTenants } from '../../tenants/index.ts'
import { firstByteAt, recordFirstBytes } from '../connection/first-byte.ts'
import { countOpenRequests } from '../connection/pipelines.ts'
import type { Endpoint } from '../endpoint.ts'
import { refused, storeUnavailableResponse } from '../openapi/described-refusal.ts'
import { addPurgeMetrics } from './purge-metrics.ts'
import { addUsageMetrics } from './usage-metrics.ts'

const registries = new WeakMap<App, Registry>()

/** One finished response, with the pattern of its route. */
interface Measured {
  method: string
  route: string
  status: number
  elapsedMs: number
}

export type Measure = (measured: Measured) => void

/** Counts every request by its route's pattern; paths would be labels without a limit. */
export function measureRequests(app: App, server: FastifyInstance): Measure {
  const registers = [registryOf(app)]
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'terrace_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers,
  })
  const seconds = new Histogram({
    name: 'terrace_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30],
    registers,
  })
  const measure: Measure = ({ method, route, status, elapsedMs }) => {
    requests.inc({ method, route, status })
    seconds.observe({ route }, elapsedMs / 1_000)
  }
  recordFirstBytes(server.server)
  // Must be the first hook: it runs in the turn of the request event, as `firstByteAt` needs.
  const startedAt = new WeakMap<FastifyRequest, number>()
  server.addHook('onRequest', (request, _reply, done) => {
    startedAt.set(request, firstByteAt(request.raw))
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'other'
    const start = startedAt.get(request)
    const elapsedMs = start === undefined ? reply.elapsedTime : performance.now() - start
    measure({ method: request.method, route, status: reply.statusCode, elapsedMs })
    done()
  })
  return measure
}

export const getMetrics: Endpoint = {
  tag: 'Health',
  summary: 'Read the metrics',
  description: 'In the text form of Prometheus.',
  access: 'local-or-key',
  responses: {
    200: {
      description: 'The metrics.',
      contentType: 'text/plain',
      schema: Type.String(),
      example:
        '# HELP terrace_tenants Tenants of the installation.\n# TYPE terrace_tenants gauge\nterrace_tenants 3\n',
    },
    401: refused('Neither called from the machine itself nor with a key.', badKey()),
    503: storeUnavailableResponse,
  },
  handle: (app) => async (_request, reply) => {
    const { first } = app.processes
    const text = first ? await first.ask<string>('metrics', undefined) : await metricsOfServer(app)
    return reply.header('content-type', registryOf(app).contentType).send(text)
  },
}

function registryOf(app: App): Registry {
  let registry = registries.get(app)
  if (!registry) {
    registry = new Registry()
    registries.set(app, registry)
    addGauges(app, registry)
    addJobMetrics(app, registry)
    addUsageMetrics(app, registry)
    if (app.purges) addPurgeMetrics(app.purges, registry)
  }
  return registry
}

/** Any process of the server answers with the sum of all. */
export function shareMetrics(app: App): void {
  app.processes.answer('metrics', () => metricsOfServer(app))
  app.processes.answer('own-metrics', () => watchedRegistry(app).getMetricsAsJSON())
}

async function metricsOfServer(app: App): Promise<string> {
  const own = watchedRegistry(app)
  const { further } = app.processes
  if (further.length === 0) return own.metrics()
  // A process that ends meanwhile is left out.
  const others = further.map((peer) => peer.ask<object[]>('own-metrics', undefined).catch(() => []))
  return AggregatorRegistry.aggregate(await Promise.all([own.getMetricsAsJSON(), ...others])).metrics()
}

function watchedRegistry(app: App): Registry {
  const registry = registryOf(app)
  watchNode(registry)
  return registry
}

const watching = new WeakSet<Registry>()

/** Begins at the first scrape: the event loop monitor wakes the process a hundred times a second. */
function watchNode(registry: Registry): void {
  if (watching.has(registry)) return
  watching.add(registry)
  collectDefaultMetrics({ register: registry })
}

function addGauges(app: App, registry: Registry): void {
  new Gauge({
    name: 'terrace_tenants',
    aggregator: 'first',
    help: 'Tenants of the installation.',
    registers: [registry],
    async collect() {
      // While the database is away, the metric is left out and the scrape succeeds.
      const count = await countTenants(app.control.store.control).catch(() => undefined)
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
  new Gauge({
    name: 'terrace_quota_sites',
    aggregator: 'first',
    help: 'Sites with a quota that alerts, is reached, or has suspended them.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const counts = await countQuotaSites(app.control).catch(() => undefined)
      if (counts === undefined) this.reset()
      else for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'terrace_open_requests',
    help: 'Requests that are being handled, or whose answer is being sent.',
    registers: [registry],
    collect() {
      this.set(countOpenRequests())
    },
  })
  new Gauge({
    name: 'terrace_processes',
    help: 'Processes of this server that answer requests.',
    registers: [registry],
    collect() {
      this.set(1)
    },
  })
  new Gauge({
    name: 'terrace_open_sites',
    help: 'Sites that this server holds open.',
    registers: [registry],
    collect() {
      this.set(app.control.sites.openCount)
    },
  })
}

/** Metrics of jobs: counters of this server, gauges of the whole installation. */
function addJobMetrics(app: App, registry: Registry): void {
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
  counted('terrace_job_runs_total', 'Jobs that this server has run.', ({ runs }) => runs)
  counted('terrace_job_failures_total', 'Jobs that failed in this server.', ({ failures }) => failures)
  counted('terrace_job_seconds_total', 'Time that jobs took in this server.', ({ seconds }) => seconds)

  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      aggregator: 'first',
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
