import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { readTenantWithStats } from '../../src/tenants/index.ts'
import { onEachStore } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

onEachStore('totals', (store) => {
  test('are right when they are counted anew while files come and go', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const cats = await first.tenant('cats')
    const sending = Array.from({ length: 24 }, async (_, seed) => {
      const app = all[seed % all.length] ?? first
      const image = await uploaded(app, cats, {
        file: await picture({ seed }),
        fields: { tags: `t${seed % 5}` },
      })
      if (seed % 2 === 0) return
      const { pathname } = new URL(image.delete_url)
      const { status } = await app.send('DELETE', pathname, { headers: { host: cats.hostname } })
      assert.equal(status, 200)
    })
    let isSending = true
    const counting = (async () => {
      let counts = 0
      for (; isSending; counts += 1) await onSiteOf(first, cats, recountTotals)
      return counts
    })()
    await Promise.all(sending).finally(() => {
      isSending = false
    })
    assert.ok((await counting) > 3)
    await onSiteOf(first, cats, async (site) => {
      const totals = await allTotals(site.db)
      assert.deepEqual([totals.files, totals.tags], [12, 5])
      assert.deepEqual(await recountTotals(site), totals)
    })
    await doDueJobs(first, cats)
    assert.equal((await readTenantWithStats(first.app.control, 'cats')).stats.files, 12)
  })
})
