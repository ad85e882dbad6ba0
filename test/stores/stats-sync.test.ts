import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allTotals, totalNames } from '../../src/site/index.ts'
import { syncStats } from '../../src/tenants/index.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { jobRowOf } from '../support/jobs.ts'
import { onSiteOf, picture, statsOf, type TestTenant, uploaded } from '../support/uploads.ts'

const rowOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, ({ number }) =>
    app.app.control.store.control
      .selectFrom('site')
      .select(['stats', 'statsVersion'])
      .where('number', '=', number)
      .executeTakeFirstOrThrow(),
  )

const daysOf = (app: TestApp, site: number) =>
  app.app.control.store.control
    .selectFrom('siteDay')
    .select(['day', 'counts'])
    .where('site', '=', site)
    .where('day', '=', '2026-01-02')
    .execute()

onBothStores('the report of a site', (store) => {
  test('that was read earlier never replaces one that was read later, nor its due time', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { store: rows } = app.app.control
    const site = await onSiteOf(app, cats, async ({ number }) => number)
    const keep = (version: number, dueAt: string | null) =>
      rows.writeSiteStats({
        site,
        version,
        dueAt,
        stats: JSON.stringify({ files: version }),
        admins: '',
        days: [{ day: '2026-01-02', counts: JSON.stringify({ uploads: version }) }],
      })
    assert.equal(await keep(20, '2030-01-01T00:00:00.000Z'), true)
    assert.equal(await keep(19, null), false)
    assert.deepEqual(await rowOf(app, cats), { stats: '{"files":20}', statsVersion: 20 })
    assert.equal((await jobRowOf(app, cats))?.dueAt, '2030-01-01T00:00:00.000Z')
    // Of the same version it is of the same changes: then whoever corrects it is believed.
    assert.equal(await keep(20, '2029-01-01T00:00:00.000Z'), true)
    assert.equal((await jobRowOf(app, cats))?.dueAt, '2029-01-01T00:00:00.000Z')

    const versions = Array.from({ length: 40 }, (_, place) => 21 + ((place * 17) % 40))
    await Promise.all(versions.map((version) => keep(version, `2031-01-01T00:00:00.0${version}Z`)))
    assert.deepEqual(await rowOf(app, cats), { stats: '{"files":60}', statsVersion: 60 })
    assert.equal((await jobRowOf(app, cats))?.dueAt, '2031-01-01T00:00:00.060Z')
    assert.deepEqual(await daysOf(app, site), [{ day: '2026-01-02', counts: '{"uploads":60}' }])
    assert.equal(await keep(61, null), true)
    assert.equal((await jobRowOf(app, cats))?.dueAt, null)

    await rows.control
      .updateTable('job')
      .set({ failures: 2, dueAt: 'later' })
      .where('site', '=', site)
      .execute()
    assert.equal(await keep(62, 'now'), true)
    assert.equal(
      (await jobRowOf(app, cats))?.dueAt,
      'later',
      'jobs that fail keep the time of the next attempt',
    )
    assert.equal(
      await rows.writeSiteStats({ site: 999, version: 1, dueAt: 'now', stats: '{}', admins: '', days: [] }),
      false,
    )
    assert.equal(
      await rows.control.selectFrom('job').select('site').where('site', '=', 999).executeTakeFirst(),
      undefined,
    )
  })

  test('is made by every change, once for all who come at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const before = (await rowOf(app, cats)).statsVersion
    const files = await Promise.all(Array.from({ length: 8 }, (_, seed) => picture({ seed: seed + 1 })))
    await Promise.all(files.map((file) => uploaded(app, cats, { file })))
    assert.equal((await statsOf(app, cats)).files, 8)
    const { statsVersion, stats } = await rowOf(app, cats)
    assert.ok(statsVersion >= before + 8)
    assert.deepEqual(JSON.parse(stats), await onSiteOf(app, cats, ({ db }) => allTotals(db)))
    assert.equal(Object.keys(JSON.parse(stats)).length, totalNames.length)
  })

  test('is believed again when the rows of the site are an older copy', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    await onSiteOf(app, cats, async ({ db, number }) => {
      await db.updateTable('total').set({ value: 1 }).where('name', '=', 'statsVersion').execute()
      await app.app.control.store.control
        .updateTable('site')
        .set({ stats: '{"files":7}', statsVersion: 500 })
        .where('number', '=', number)
        .execute()
      await app.app.control.store.control.deleteFrom('job').where('site', '=', number).execute()
    })
    await onSiteOf(app, cats, (site) => syncStats(app.app.control, site))
    assert.equal((await statsOf(app, cats)).files, 1)
    assert.ok((await jobRowOf(app, cats))?.dueAt)
    await uploaded(app, cats)
    assert.equal((await statsOf(app, cats)).files, 2)
    assert.ok((await rowOf(app, cats)).statsVersion > 500)
  })

  test('begins with the next change on a site that an earlier release installed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await onSiteOf(app, cats, ({ db }) => db.deleteFrom('total').where('name', '=', 'statsVersion').execute())
    await uploaded(app, cats)
    assert.equal((await statsOf(app, cats)).files, 1)
    const totals = await onSiteOf(app, cats, ({ db }) => db.selectFrom('total').selectAll().execute())
    assert.ok((totals.find(({ name }) => name === 'statsVersion')?.value ?? 0) > 0)
  })
})
