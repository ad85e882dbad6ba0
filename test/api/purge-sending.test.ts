import assert from 'node:assert/strict'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { findingsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { copyFiles } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { type PurgeEndpoint, startPurgeEndpoint } from '../support/servers/purge-endpoint.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

let seed = 0

/** Uploads a file and puts it into the trash. */
async function trashOne(app: TestApp, tenant: TestTenant): Promise<string> {
  seed += 1
  const { id_encoded: id } = await uploaded(app, tenant, { file: await picture({ seed }) })
  const key = await keyOf(app, tenant, 'admin')
  const { status, text } = await ask5(app, tenant, `DELETE files/${id}`, { key })
  assert.equal(status, 204, text)
  return id
}

const waiting = (app: TestApp) =>
  app.app.control.store.control.selectFrom('waitingPurge').selectAll().execute()

/** Waits until the result of an attempt is recorded, and the next one planned. */
const recorded = (app: TestApp, attempts: number, seconds: number) =>
  until(async () => {
    const [row] = await waiting(app)
    const leftMs = Date.parse(row?.nextAt ?? '') - app.app.control.clock.now().getTime()
    return row?.attempts === attempts && leftMs <= seconds * 1_000 && leftMs > seconds * 1_000 - 20_000
  }, `a recorded attempt, the next one in ${seconds} s`)

/** What the doctor warns of, without the ids of the purges. */
const purgeFindings = async (app: TestApp) =>
  findingsOf(await examineApp(app.app))
    .filter((finding) => finding.startsWith('purges '))
    .map((finding) => finding.split(' ').slice(0, 2).join(' '))

const start = (store: 'sqlite' | 'postgres', endpoint: PurgeEndpoint) =>
  startTestApp({ store, environment: endpoint.environment })

onEachStore('sending purges', (store) => {
  test('a refused purge is sent again in longer and longer steps, with one id, and given up after a day', {
    timeout: 180_000,
  }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await start(store, endpoint)
    const cats = await app.tenant('cats')
    endpoint.answering = 500
    await trashOne(app, cats)
    const [first] = await endpoint.next()
    const steps = [5, 30, 120, 600, ...Array.from({ length: 23 }, () => 3_600)]
    for (const [index, seconds] of steps.entries()) {
      await recorded(app, index + 1, seconds)
      app.wait(seconds)
      const [again] = await endpoint.next()
      assert.deepEqual({ ...again, at: 0 }, { ...first, at: 0 })
      assert.ok(again && first && again.at > first.at)
    }
    await until(async () => (await waiting(app)).length === 0, 'given up')
    assert.equal(app.app.purges?.done.given_up, 1)
    assert.equal(app.app.purges?.done.failed, 28)
  })

  test('a redirect is a failure, and an endpoint that works again gets what waits', {
    timeout: 60_000,
  }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await start(store, endpoint)
    const cats = await app.tenant('cats')
    endpoint.answering = (response) =>
      response.writeHead(307, { location: endpoint.environment.SERVICE_PURGE_URL }).end()
    await trashOne(app, cats)
    await endpoint.next()
    await recorded(app, 1, 5)
    assert.equal((await waiting(app))[0]?.fault, 'status 307')
    assert.deepEqual(await purgeFindings(app), ['purges cats'])
    endpoint.answering = 200
    app.wait(5)
    await endpoint.next()
    await until(async () => (await waiting(app)).length === 0, 'sent')
    assert.deepEqual(await purgeFindings(app), [])
    assert.equal(endpoint.attempts.length, 2)
    const metrics = (await app.send('GET', '/_/metrics')).text
    assert.match(metrics, /^terrace_purges_total\{result="sent"\} 1$/m)
    assert.match(metrics, /^terrace_purges_total\{result="failed"\} 1$/m)
    assert.match(metrics, /^terrace_purges_waiting 0$/m)
  })

  test('an endpoint that never answers holds up no request, and no more than four connections', {
    timeout: 60_000,
  }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await start(store, endpoint)
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    endpoint.answering = () => undefined
    for (let count = 0; count < 5; count += 1) await trashOne(app, cats)
    await trashOne(app, dogs)
    const held = await endpoint.next(4)
    assert.equal((await app.send('GET', '/_/health/ready')).status, 200)
    assert.equal(endpoint.attempts.length, 4)
    assert.deepEqual(new Set(held.map(({ tenant }) => tenant)), new Set(['cats']))
    assert.equal((await waiting(app)).length, 6)
  })

  test('a change of many files is sent in requests of at most 100 addresses', {
    timeout: 60_000,
  }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await start(store, endpoint)
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    await copyFiles(app, cats, 120)
    const key = await keyOf(app, cats, 'admin')
    const ids = Array.from({ length: 120 }, (_, index) => `copy${index}`)
    const { status, text } = await ask5(app, cats, 'POST files/bulk', { key, body: { action: 'trash', ids } })
    assert.equal(status, 200, text)
    const sent = await endpoint.next(3)
    assert.deepEqual(sent.map(({ urls }) => urls.length).toSorted(), [100, 100, 40].toSorted())
    assert.equal(new Set(sent.flatMap(({ urls }) => urls)).size, 240)
    assert.equal(new Set(sent.flatMap(({ tags }) => tags)).size, 120)
    assert.equal(new Set(sent.map(({ id }) => id)).size, 3)
    for (const { urls, tags } of sent)
      for (const url of urls) assert.ok(tags.includes(`f-${/copy\d+/.exec(url)?.[0]}`), url)
  })

  test('what a process left behind is sent by the start of the next one', { timeout: 60_000 }, async () => {
    await using endpoint = await startPurgeEndpoint()
    await using app = await start(store, endpoint)
    const cats = await app.tenant('cats')
    endpoint.answering = 503
    await trashOne(app, cats)
    const [before] = await endpoint.next()
    await recorded(app, 1, 5)
    endpoint.answering = 204
    await using next = await startTestApp({ store, beside: app })
    const [after] = await endpoint.next()
    assert.equal(after?.id, before?.id)
    await until(async () => (await waiting(next)).length === 0, 'sent')
  })

  test('without SERVICE_PURGE_URL no rows are written', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await trashOne(app, cats)
    const rows = await onSiteOf(app, cats, ({ db }) => db.selectFrom('purge').selectAll().execute())
    assert.deepEqual([rows, await waiting(app)], [[], []])
  })
})

test('two servers send each purge once', { timeout: 120_000 }, async () => {
  await using endpoint = await startPurgeEndpoint()
  await using one = await start('postgres', endpoint)
  await using two = await startTestApp({ beside: one })
  const cats = await one.tenant('cats')
  const ids = []
  for (const app of [one, two, one, two, one, two]) ids.push(await trashOne(app, cats))
  await endpoint.next(6)
  await until(async () => (await waiting(one)).length === 0, 'sent')
  const tags = endpoint.attempts.flatMap((purge) => purge.tags)
  assert.deepEqual(tags.toSorted(), ids.map((id) => `f-${id}`).toSorted())
})
