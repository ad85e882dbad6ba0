import assert from 'node:assert/strict'
import { test } from 'vitest'
import { dayAfter, dayOf } from '../../src/site/index.ts'
import { readSiteUsage } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import {
  nowOf,
  onSiteOf,
  picture,
  statsOf,
  type TestTenant,
  uploaded,
  writeViewsOf,
} from '../support/uploads.ts'

/** The last two days, as [uploads, storage, views]. */
const lastDays = (app: TestApp, cats: TestTenant) =>
  onSiteOf(app, cats, async (site) => {
    const to = dayOf(nowOf(app))
    const rows = await readSiteUsage(app.app.control, site, { from: dayAfter(to, -1), to, step: 'day' })
    return rows.map(({ counts }) => [counts.uploads, counts.storageUsed, counts.views])
  })

onEachStore('the days of a site', (store) => {
  test('uploads, storage and views are counted by day, and a removal lowers the storage alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const first = await uploaded(app, cats)
    await ask(app, first.url_viewer)
    await writeViewsOf(app, cats, 1)
    const { storage_used: one = 0 } = await statsOf(app, cats)
    assert.deepEqual(await lastDays(app, cats), [[1, one, 1]])

    app.wait(86_400)
    const second = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    const { storage_used: both = 0 } = await statsOf(app, cats)
    assert.deepEqual(await lastDays(app, cats), [
      [1, one, 1],
      [1, both, 0],
    ])
    const removal = `DELETE files/${second.id_encoded}?permanent=true`
    assert.equal((await ask5(app, cats, removal, { key })).status, 204)
    assert.deepEqual(await lastDays(app, cats), [
      [1, one, 1],
      [1, one, 0],
    ])
  })

  test('the overview lists 30 or 90 days', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const rowsOf = (text: string) => (text.match(/role="rowheader"/g) ?? []).length
    assert.equal(rowsOf((await ada.show('/dashboard')).text), 30)
    assert.equal(rowsOf((await ada.show('/dashboard?days=90')).text), 90)
    for (const days of ['', '31', '-1', '1e9']) {
      const { status, text } = await ada.show(`/dashboard?days=${days}`)
      assert.deepEqual([status, rowsOf(text)], [200, 30], days)
    }
    app.wait(40 * 86_400)
    const later = await visitAs(app, cats)
    const { status, text } = await later.show('/dashboard')
    assert.deepEqual([status, rowsOf(text)], [200, 30])
    assert.ok(text.includes(`datetime="${dayOf(nowOf(app))}"`))
  })
})
