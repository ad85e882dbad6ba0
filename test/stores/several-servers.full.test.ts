import assert from 'node:assert/strict'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, test } from 'vitest'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { asHost, startCluster } from '../support/servers/cluster.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { until } from '../support/until.ts'
import { picture, set, statsOf, upload, uploaded } from '../support/uploads.ts'

/** What becomes of the notices: the version that is asked for is the net under them. */
const networks = {
  'notices come': () => undefined,
  'the connection for notices is silent': (proxy) => proxy.silence('terrace-watch'),
  'the connection for notices is cut, again and again': (proxy) => proxy.refuse('terrace-watch'),
} satisfies Record<string, (proxy: Awaited<ReturnType<typeof startPostgresProxy>>) => void>

describe.each(Object.keys(networks) as (keyof typeof networks)[])('where %s', (network) => {
  test('every change to a tenant is seen on the other server within a second', async () => {
    await using here = await startTestApp({ store: 'postgres' })
    await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
    const environment = { SERVICE_DATABASE_URL: proxy.url }
    await using there = await startTestApp({ beside: here, environment })
    const cats = await here.tenant('cats')
    const { id } = cats
    const visit = async (host: string) => (await there.send('GET', '/', { headers: { host } })).status
    const limitThere = async () => {
      const { json } = await there.call('GET', `tenants/${id}/effective`)
      return json?.limits.SERVICE_MAX_FILES?.value
    }
    assert.equal(await visit('cats.test'), 200)
    networks[network](proxy)

    const steps: [string, () => Promise<unknown>, () => Promise<boolean>][] = [
      ['an upload', () => uploaded(here, cats), async () => (await statsOf(there, cats)).files === 1],
      ['disabled', () => patch({ is_enabled: false }), async () => (await visit('cats.test')) === 403],
      ['enabled', () => patch({ is_enabled: true }), async () => (await visit('cats.test')) === 200],
      ['moved', () => patch({ hostname: 'dogs.test' }), async () => (await visit('dogs.test')) === 200],
      ['its old host', async () => undefined, async () => (await visit('cats.test')) === 404],
      [
        'limited',
        () => patch({ limits: { SERVICE_MAX_FILES: '3' } }),
        async () => (await limitThere()) === '3',
      ],
      [
        'given a plan',
        () => here.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_FILES: '7' } }),
        async () => (await there.call('GET', 'tenants-plans/small')).status === 200,
      ],
      [
        'on the plan',
        () => patch({ limits: {}, plan_id: 'small' }),
        async () => (await limitThere()) === '7',
      ],
      ['deleted', () => here.call('DELETE', `tenants/${id}`), async () => (await visit('dogs.test')) === 404],
      ['back', () => here.tenant(id), async () => (await visit('cats.test')) === 200],
    ]
    function patch(fields: unknown) {
      return here.call('PATCH', `tenants/${id}`, fields)
    }
    for (const [what, change, isSeen] of steps) {
      await change()
      using watch = startStopwatch()
      while (!(await isSeen())) assert.ok(watch.ms() < 1_000, `${what}: not seen within 1 s`)
    }
  })
})

test('a change of one site is seen by another server, which forgets no tenant for it', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using there = await startTestApp({ beside: here })
  const cats = await here.tenant('cats')
  const { store } = there.app.control
  const stayed: boolean[] = []
  // Its version rises too when no news have come for a while, but not every time.
  for (let seed = 1; seed <= 12 && !stayed.includes(true); seed += 1) {
    const [version, statsVersion] = [store.controlVersion(), store.allStatsVersion()]
    await uploaded(here, cats, { file: await picture({ seed }) })
    await until(() => store.allStatsVersion() !== statsVersion, 'the news have come')
    stayed.push(store.controlVersion() === version)
  }
  assert.ok(stayed.includes(true))
})

test('a limit on floods holds over all servers together', async () => {
  await using servers = await startServers('postgres')
  const { first, all } = servers
  const cats = await first.tenant('cats')
  const key = 'a-public-key-of-the-site'
  await set(first, cats, { public_key: key, flood_guest_minute: '5', enable_guest_uploads: '1' })
  const files = await Promise.all(times(24, (seed) => picture({ width: 20, seed: seed + 1 })))
  const answers = await Promise.all(
    files.map((file, place) => upload(all[place % all.length] as TestApp, cats, { key, file })),
  )
  assert.deepEqual(tally(answers), { 200: 5, 429: 19 })
  for (const app of all) assert.equal((await upload(app, cats, { key })).status, 429)
})

test('a nonce is taken once, whichever servers are asked at once', async () => {
  await using servers = await startServers('postgres')
  const { first, all } = servers
  const timestamp = String(Math.floor(Date.now() / 1_000))
  for (let round = 0; round < 5; round += 1) {
    const nonce = randomUUID()
    const empty = createHash('sha256').update('').digest('hex')
    const text = `v2\n${timestamp}\n${nonce}\nPOST\n/_/api/4/auth/verify\n${empty}`
    const headers = {
      'x-api-key': first.key,
      'x-signature-version': '2',
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': createHmac('sha256', first.secret).update(text).digest('hex'),
    }
    const answers = await Promise.all(
      times(12, (place) => (all[place % 2] as TestApp).send('POST', '/_/api/4/auth/verify', { headers })),
    )
    assert.deepEqual(tally(answers), { 200: 1, 401: 11 })
  }
})

test('four servers that start at the same moment make the tables once, and one site to try', async () => {
  const databaseUrl = await freshDatabaseUrl()
  try {
    await using cluster = await startCluster(4, { databaseUrl, more: { SERVICE_DEMO: '1' } })
    const { servers } = cluster
    await until(() => servers.every((server) => /Terrace is up/.test(server.output())), 'all are up')
    const firsts = servers.filter((server) => /upload key/i.test(server.output()))
    assert.equal(firsts.length, 1, servers.map((server) => server.output()).join('\n'))
    const tenants = await cluster.tool('tenants', 'list')
    assert.deepEqual(
      tenants.map(({ id }: { id: string }) => id),
      ['demo'],
    )
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const { rows } = await client.query(
      'select count(*)::int as n, count(distinct name)::int as d from migration',
    )
    await client.end()
    assert.equal(rows[0].n, rows[0].d)
    assert.ok(rows[0].n > 0)
    const demo = { id: 'demo', hostname: 'localhost', apiKey: '' }
    for (const server of servers) assert.equal((await asHost(server, demo, '/')).status, 200)
  } finally {
    await dropDatabase(databaseUrl)
  }
})
