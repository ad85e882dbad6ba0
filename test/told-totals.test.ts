import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onBothStores, startTestApp } from './harness.ts'
import { picture, uploaded } from './uploads.ts'

onBothStores('what is told of sites', (store) => {
  test('totals are told at once, and no tenant is forgotten', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const filesIn = async () => {
      const one = await app.call('GET', 'tenants/cats')
      const [listed] = (await app.call('GET', 'tenants')).json as { stats: { files: number } }[]
      assert.deepEqual(listed, one.json)
      return listed?.stats.files
    }
    assert.equal(await filesIn(), 0)
    const version = app.app.control.store.controlVersion()
    const routing = async () => (await app.call('GET', 'config/proxy')).text
    const routed = await routing()
    for (let seed = 1; seed <= 3; seed += 1) {
      await uploaded(app, cats, { file: await picture({ seed }) })
      assert.equal(await filesIn(), seed)
      assert.equal(await routing(), routed)
    }
    // On PostgreSQL servers hear of both in the same way.
    if (store === 'sqlite') assert.equal(app.app.control.store.controlVersion(), version)
    assert.equal((await app.call('PATCH', 'tenants/cats', { is_enabled: false })).status, 204)
    assert.notEqual(app.app.control.store.controlVersion(), version)
    const { status } = await app.send('GET', '/', { headers: { host: cats.hostname } })
    assert.equal(status, 403)
  })
})
