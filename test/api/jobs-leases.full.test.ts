import assert from 'node:assert/strict'
import { test } from 'vitest'
import { doJobs, runSiteJobs } from '../../src/jobs/index.ts'
import { holdLease, openJobContext, takeDueSites } from '../../src/scheduling/index.ts'
import { addToTotal } from '../../src/site/index.ts'
import { openSite, readTenant } from '../../src/tenants/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { copyFiles, doDueJobs, jobRowOf, leftoversOf } from '../support/jobs.ts'
import { until } from '../support/until.ts'
import { nowOf, onSiteOf, picture, statsOf, type TestTenant, uploaded } from '../support/uploads.ts'

const { signal } = new AbortController()
/** None of these jobs needs a folder. */
const openFolder = () => assert.fail()
const quietly = { signal, sliceMs: 20_000, warn: () => undefined, openFolder }

onEachStore('a lease', (store) => {
  test('is had by one of many who ask at once, and by another when it is over', async () => {
    await using app = await startTestApp({ store })
    const tenants = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => app.tenant(id)))
    for (const tenant of tenants) await withFileFor5Minutes(app, tenant)
    assert.deepEqual(await takeDueSites(app.app.control, { limit: 10 }), [], 'nothing is due yet')
    app.wait(301)
    const ask = () => takeDueSites(app.app.control, { limit: 2 })
    const taken = (await Promise.all(Array.from({ length: 12 }, ask))).flat()
    assert.equal(taken.length, 5)
    assert.equal(new Set(taken.map(({ site }) => site)).size, 5)
    assert.deepEqual(await ask(), [])
    app.wait(61)
    const again = await takeDueSites(app.app.control, { limit: 10 })
    assert.equal(again.length, 5)
    for (const lease of again) {
      const before = taken.find(({ site }) => site === lease.site)
      assert.equal(lease.token, (before?.token ?? 0) + 1)
    }
  })

  test('taken by a clock that was ahead binds no worker when it is set back', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await withFileFor5Minutes(app, cats)
    app.wait(2 * 24 * 60 * 60)
    assert.equal((await takeDueSites(app.app.control, { limit: 1 })).length, 1)
    app.wait(-2 * 24 * 60 * 60 + 30)
    assert.deepEqual(await doDueJobs(app), [], 'nothing is removed before its time')
    app.wait(271)
    assert.deepEqual((await doDueJobs(app)).at(0)?.done, { 'expire-files': 1, 'remove-bytes': 2 })
  })

  test('that is old changes nothing once a younger one has worked', async () => {
    // Without a log to prune, nothing is due afterwards.
    await using app = await startTestApp({
      store,
      environment: { SERVICE_AUDIT_DAYS: '0', SERVICE_USAGE_DAYS: '0' },
    })
    const { control } = app.app
    const cats = await app.tenant('cats')
    await withFileFor5Minutes(app, cats)
    app.wait(301)
    const [old] = await takeDueSites(control, { limit: 1 })
    assert.ok(old)
    await using site = await openSite(control, await readTenant(control, 'cats'))
    using held = holdLease(control, old, signal)
    const context = openJobContext(site, {
      lease: old,
      ...quietly,
      renewIfNeeded: () => held.renewIfNeeded(),
    })
    await context.fencedTransaction((db) => addToTotal(db, 'cronTime', 5))

    app.wait(61)
    const [run] = await doDueJobs(app)
    assert.deepEqual(run?.done, { 'expire-files': 1, 'remove-bytes': 2 })
    const stats = await statsOf(app, cats)
    assert.equal(stats.cron_time, 6)
    await assert.rejects(
      context.fencedTransaction((db) => addToTotal(db, 'cronTime', 100)),
      { code: 'lease-lost' },
    )
    assert.equal((await runSiteJobs(control, old, quietly)).outcome, 'lost')
    assert.deepEqual(await statsOf(app, cats), stats)
    const row = await jobRowOf(app, cats)
    assert.deepEqual([row?.token, row?.leasedUntil, row?.dueAt], [2, null, null])
  })

  test('catches up with a site that has seen younger ones than the installation knows', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await withFileFor5Minutes(app, cats)
    await onSiteOf(app, cats, (site) => site.db.insertInto('jobFence').values({ id: 1, token: 70 }).execute())
    app.wait(301)
    const outcomes = (await doDueJobs(app)).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['lost', 'done'])
    assert.equal((await jobRowOf(app, cats))?.token, 71)
    assert.equal((await leftoversOf(app, cats)).files, 0)
  })

  test('is given back by a worker that is stopped, and its work goes on elsewhere', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await withFileFor5Minutes(app, cats)
    app.wait(301)
    const [lease] = await takeDueSites(app.app.control, { limit: 1 })
    assert.ok(lease)
    const run = await runSiteJobs(app.app.control, lease, { ...quietly, signal: AbortSignal.abort() })
    assert.deepEqual([run.outcome, run.done], ['unfinished', {}])
    assert.equal((await jobRowOf(app, cats))?.leasedUntil, null)
    assert.deepEqual((await doDueJobs(app)).at(0)?.done, { 'expire-files': 1, 'remove-bytes': 2 })
  })
})

onEachStore('a worker', (store) => {
  test('opens no site that has nothing to do', async () => {
    await using app = await startTestApp({ store })
    const ids = Array.from({ length: 12 }, (_, place) => `idle${place}`)
    for (const id of ids) await app.tenant(id)
    const busy = await app.tenant('busy')
    await withFileFor5Minutes(app, busy)
    await uploaded(app, await app.tenant('keeps'))
    await using later = await startTestApp({ store, beside: app })
    later.wait(301)
    assert.equal(later.app.control.sites.openCount, 0)
    const runs = await doDueJobs(later)
    assert.deepEqual(
      runs.map(({ tenant }) => tenant),
      ['busy'],
    )
    assert.equal(later.app.control.sites.openCount, 1)
  })

  test('goes on with the others where one tenant fails, which waits longer each time', async () => {
    await using app = await startTestApp({ store })
    const [bad, good] = [await app.tenant('bad'), await app.tenant('good')]
    for (const tenant of [bad, good]) await withFileFor5Minutes(app, tenant)
    await breakStorage(app, bad)
    app.wait(301)
    const outcomes = new Map((await doDueJobs(app)).map((run) => [run.tenant, run]))
    assert.equal(outcomes.get('good')?.outcome, 'done')
    assert.equal(outcomes.get('bad')?.outcome, 'failed')
    assert.equal((await statsOf(app, bad)).files, 0, 'what could be done is done and synced')
    assert.equal((await leftoversOf(app, bad)).removals, 1)

    for (const [place, waitSeconds] of [30, 60, 120, 240].entries()) {
      const row = await jobRowOf(app, bad)
      assert.equal(row?.failures, place + 1)
      assert.ok(row?.fault)
      app.wait(waitSeconds - 1)
      assert.deepEqual(await doDueJobs(app), [])
      app.wait(2)
      assert.equal((await doDueJobs(app)).at(0)?.outcome, 'failed')
    }
    await uploaded(app, bad, { file: await picture({ seed: 5 }) })
    assert.deepEqual(await doDueJobs(app), [], 'an upload does not make it try sooner')
    await mendStorage(app, bad)
    app.wait(3_600)
    assert.equal((await doDueJobs(app)).at(0)?.outcome, 'done')
    const row = await jobRowOf(app, bad)
    assert.deepEqual([row?.failures, row?.fault, row?.leasedUntil], [0, null, null])
  })

  test('does the others meanwhile where one site keeps it waiting', async () => {
    await using app = await startTestApp({ store })
    const tenants = await Promise.all(['slow', 'a', 'b', 'c', 'd', 'e'].map((id) => app.tenant(id)))
    for (const tenant of tenants) await withFileFor5Minutes(app, tenant)
    app.wait(301)
    const [slow] = tenants
    assert.ok(slow)
    const barrier = Promise.withResolvers<void>()
    const held = onSiteOf(app, slow, (site) =>
      site.db.transaction().execute(async (db) => {
        await addToTotal(db, 'files', 0)
        await barrier.promise
      }),
    )
    const done: string[] = []
    const working = doJobs(app.app, {
      signal,
      isOnce: true,
      onRun: ({ tenant }) => done.push(tenant ?? ''),
    })
    await until(() => done.length === 5, 'the others are done')
    assert.deepEqual(done.toSorted(), ['a', 'b', 'c', 'd', 'e'])
    barrier.resolve()
    await Promise.all([held, working])
    assert.equal(done.at(-1), 'slow')
  })

  test('leaves a site when its time is up, and goes on behind the others', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await withFileFor5Minutes(app, cats)
    await copyFiles(app, cats, 250)
    app.wait(301)
    const [lease] = await takeDueSites(app.app.control, { limit: 1 })
    assert.ok(lease)
    const run = await runSiteJobs(app.app.control, lease, { ...quietly, sliceMs: 1 })
    assert.equal(run.outcome, 'unfinished')
    assert.ok((run.done['expire-files'] ?? 0) <= 100)
    const row = await jobRowOf(app, cats)
    assert.ok(row?.dueAt && row.dueAt <= nowOf(app).toISOString())
    assert.equal((await doDueJobs(app)).at(0)?.outcome, 'done')
    assert.deepEqual(await leftoversOf(app, cats), { files: 0, removals: 0, tags: 0, keys: [] })
  })

  test('leaves a deleted tenant alone, and carries on when it comes back', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await withFileFor5Minutes(app, cats)
    await app.call('DELETE', 'tenants/cats')
    app.wait(301)
    assert.deepEqual(
      (await doDueJobs(app)).map(({ tenant, done }) => [tenant, done]),
      [[undefined, {}]],
    )
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    assert.deepEqual((await doDueJobs(app)).at(0)?.done, { 'expire-files': 1, 'remove-bytes': 2 })
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.equal((await app.app.control.store.control.selectFrom('job').select('site').execute()).length, 0)
  })

  test('does the jobs of a tenant that is named, whether or not they are due', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    assert.equal((await app.call('GET', 'tenants/cats')).json.last_job_at, null)
    assert.deepEqual(await doDueJobs(app), [])
    assert.equal((await doDueJobs(app, cats)).length, 1)
    const { last_job_at: lastJobAt, stats } = (await app.call('GET', 'tenants/cats')).json
    assert.match(lastJobAt, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.equal(stats.cron_time, 1)
  })
})

async function withFileFor5Minutes(app: TestApp, tenant: TestTenant): Promise<void> {
  await uploaded(app, tenant, { fields: { expiration: 'PT5M' } })
}

/** A note of a key that no storage takes. */
async function breakStorage(app: TestApp, tenant: TestTenant): Promise<void> {
  const removal = { id: 'bad', storageId: null, path: '../outside', requestedAt: '2000-01-01T00:00:00.000Z' }
  await onSiteOf(app, tenant, (site) => site.db.insertInto('removal').values(removal).execute())
}

const mendStorage = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, (site) => site.db.deleteFrom('removal').where('id', '=', 'bad').execute())
