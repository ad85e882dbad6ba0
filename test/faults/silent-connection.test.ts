import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { startTestApp } from '../support/harness.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { picture, statsOf, upload, uploaded } from '../support/uploads.ts'

test('a server whose notices stop coming, without its connection breaking, still sees changes within a second', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
  await using there = await startTestApp({
    beside: here,
    environment: { SERVICE_DATABASE_URL: proxy.url, SERVICE_RATE_READS: '0' },
  })
  const { id, hostname } = await here.tenant('cats')
  const visit = async () => (await there.send('GET', '/', { headers: { host: hostname } })).status
  const switchAndSee = async (isEnabled: boolean) => {
    await here.call('PATCH', `tenants/${id}`, { is_enabled: isEnabled })
    using watch = startStopwatch()
    while ((await visit()) !== (isEnabled ? 200 : 403))
      assert.ok(watch.ms() < 1_000, 'not seen within a second')
  }
  assert.equal(await visit(), 200)

  proxy.silence('terrace-watch')
  for (let round = 0; round < 8; round += 1) await switchAndSee(round % 2 === 1)
  proxy.restore()
  for (let round = 0; round < 8; round += 1) await switchAndSee(round % 2 === 1)
})

test('the usage of all tenants has the last change, also while the connection for notices is silent', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
  await using there = await startTestApp({ beside: here, environment: { SERVICE_DATABASE_URL: proxy.url } })
  const cats = await here.tenant('cats')
  const uploads = async () => {
    using watch = startStopwatch()
    const { status, json } = await there.call('GET', 'usage?step=total')
    assert.equal(status, 200)
    return { uploads: json.data[0].uploads, ms: watch.ms() }
  }
  assert.equal((await uploads()).uploads, 0)
  for (let count = 1; count <= 12; count += 1) {
    if (count === 4) proxy.silence('terrace-watch')
    if (count === 9) proxy.restore()
    await uploaded(here, cats, { file: await picture({ seed: count }) })
    const read = await uploads()
    assert.equal(read.uploads, count)
    assert.ok(read.ms < 3_000, `${count}: after ${read.ms} ms`)
  }
})

test('a database that falls silent is 503, and its connections are given up for new ones', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
  await using there = await startTestApp({ beside: here, environment: { SERVICE_DATABASE_URL: proxy.url } })
  const cats = await here.tenant('cats')
  await uploaded(there, cats)

  proxy.silence('terrace')
  const [answer, ready] = await Promise.all([upload(there, cats), there.send('GET', '/_/health/ready')])
  assert.deepEqual([answer.status, ready.status], [503, 503], answer.text)
  assert.match(String(answer.headers['retry-after']), /^\d+$/)
  assert.equal((await there.send('GET', '/_/health/live')).status, 200)

  proxy.restore()
  await uploaded(there, cats)
  assert.equal((await statsOf(here, cats)).files, 2)
})
