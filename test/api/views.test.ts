import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'vitest'
import { PendingStats } from '../../src/control/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newProcessCounters } from '../../src/site/index.ts'
import { moveTenant } from '../../src/tenants/index.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { until } from '../support/until.ts'
import { onSiteOf, statsOf, type TestTenant, uploaded, writeViews, writeViewsOf } from '../support/uploads.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }

async function shownViews(app: TestApp, url: string): Promise<number> {
  const { text } = await ask(app, url, browserHeaders)
  return Number(/<dt>Views<\/dt><dd>([\d,]+)<\/dd>/.exec(text)?.[1])
}

const storedViews = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => {
    const rows = await db.selectFrom('file').select('views').execute()
    return rows.reduce((sum, { views }) => sum + views, 0)
  })

onEachStore('views', (store) => {
  test('are counted in memory, shown at once, and written together a few seconds later', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [one, two] = [await uploaded(app, cats), await uploaded(app, cats)]
    const versionOf = () => app.app.control.store.allStatsVersion()
    const [version, start] = [versionOf(), performance.now()]
    for (let view = 1; view <= 5; view += 1) assert.equal(await shownViews(app, one.url_viewer), view)
    // Unless the machine was so slow that it is time to write already.
    if (store === 'sqlite' && performance.now() - start < 1_000) {
      assert.equal(await storedViews(app, cats), 0)
      assert.equal(versionOf(), version, 'a page writes nothing')
    }
    assert.equal(await shownViews(app, two.url_viewer), 1)
    await until(async () => (await statsOf(app, cats)).file_views === 6, 'they are written by themselves')
    assert.equal(await storedViews(app, cats), 6)
    assert.equal(await shownViews(app, one.url_viewer), 6)
  })

  test('are shown once each while they are being written', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url_viewer: url } = await uploaded(app, cats)
    let isDone = false
    const writing = (async () => {
      for (; !isDone; await setImmediate()) await writeViews(app)
    })()
    try {
      for (let view = 1; view <= 60; view += 1) assert.equal(await shownViews(app, url), view)
    } finally {
      isDone = true
      await writing
    }
    await writeViewsOf(app, cats, 60)
  })

  test('are written when the server stops', async () => {
    await using first = await startTestApp({ store })
    const cats = await first.tenant('cats')
    {
      await using second = await startTestApp({ beside: first })
      const { url_viewer: url } = await uploaded(second, cats)
      for (let view = 1; view <= 3; view += 1) assert.equal(await shownViews(second, url), view)
    }
    assert.equal(await storedViews(first, cats), 3)
    await until(async () => (await statsOf(first, cats)).file_views === 3, 'the other server tells them')
  })

  test('stay with a site that is kept for another tenant, and go to a file that is gone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [kept, gone] = [await uploaded(app, cats), await uploaded(app, cats)]
    for (const { url_viewer: url } of [kept, kept, gone]) await shownViews(app, url)
    assert.equal((await ask(app, gone.delete_url, {}, 'DELETE')).status, 200)
    await app.call('DELETE', 'tenants/cats', { drop_tables: false })
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    assert.equal((await statsOf(app, cats)).file_views, 2)
    assert.equal(await shownViews(app, kept.url_viewer), 3)
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    await writeViews(app)
  })

  test('go along with a site that moves', async () => {
    // A fast machine asks for the page more often than the rate allows.
    await using app = await startTestApp({ store, environment: { SERVICE_RATE_READS: '0' } })
    await using database = await otherDatabase()
    const cats = await app.tenant('cats')
    const { url_viewer: url } = await uploaded(app, cats)
    for (let view = 1; view <= 3; view += 1) assert.equal(await shownViews(app, url), view)
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_DATABASE_URL: database.url } })
    let isMoved = false
    const moving = moveTenant(app.app.control, 'cats').finally(() => {
      isMoved = true
    })
    for (let view = 4; !isMoved; view += 1) assert.equal(await shownViews(app, url), view)
    assert.equal((await moving).isMoved, true)
    const last = await shownViews(app, url)
    await writeViewsOf(app, cats, last)
    assert.equal(await storedViews(app, cats), last)
  })
})

test('views of a site that is not there for a while are written when it is back', async () => {
  await using app = await startTestApp()
  await using database = await otherDatabase()
  const env = { SERVICE_DATABASE_URL: database.url }
  await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true, env })
  const { json } = await app.call('POST', 'tenants/cats/install', account)
  const cats = { id: 'cats', hostname: 'cats.test', apiKey: json.api_key }
  const { url_viewer: url } = await uploaded(app, cats)
  for (let view = 1; view <= 4; view += 1) assert.equal(await shownViews(app, url), view)
  await database.ask('alter table "total" rename to "away"')
  const faults: unknown[] = []
  await writeViews(app).catch((fault) => faults.push(fault))
  await database.ask('alter table "away" rename to "total"')
  assert.equal(faults.length, 1)
  assert.equal(await shownViews(app, url), 5)
  await until(async () => (await statsOf(app, cats)).file_views === 5, 'they are written')
})

test('views of more files than there is room for are not kept, and their number is reported', () => {
  const pending = new PendingStats(systemClock, newProcessCounters(), 3)
  for (const id of ['a', 'b', 'c', 'a', 'd', 'd']) pending.addView(1, { id, views: 10 })
  assert.equal(pending.addView(1, { id: 'a', views: 10 }), 13)
  assert.equal(pending.addView(1, { id: 'd', views: 10 }), 11)
  assert.equal(pending.takeLost(), 3)
  assert.deepEqual(Object.fromEntries(pending.begin(1)?.[0]?.views.file ?? []), { a: 3, b: 1, c: 1 })
  assert.equal(pending.begin(1), undefined, 'one writes at a time')
  pending.end(1, true)
  assert.deepEqual(pending.dueSites(), [])
  // There is room again.
  for (const id of ['d', 'e', 'f']) pending.addView(2, { id, views: 0 })
  assert.deepEqual([pending.takeLost(), pending.dueSites()], [0, [2]])
})
