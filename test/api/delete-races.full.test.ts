import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { test } from 'vitest'
import { finishDrops } from '../../src/tenants/index.ts'
import { onBothStores, type TestApp } from '../support/harness.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { storedSitesOf } from '../support/stores/stored-sites.ts'
import { upload } from '../support/uploads.ts'

onBothStores('deletes with tables', (store) => {
  test('uploads on their way when a tenant is deleted leave nothing behind', {
    timeout: 300_000,
  }, async () => {
    await using servers = await startServers(store)
    const pictures = await Promise.all(times(6, (place) => picture(place)))
    const seen: { status: number }[] = []
    for (const [round, id] of times(8, (place) => `cats${place}`).entries()) {
      const tenant = await servers.first.tenant(id)
      const uploads = pictures.map((file, place) => {
        const server = servers.all[place % servers.all.length] as TestApp
        return pause(place * 10).then(() => upload(server, tenant, { file }))
      })
      await pause(round * 25)
      const deleted = await servers.call('DELETE', `tenants/${id}`, { drop_tables: true })
      assert.equal(deleted.status, 204)
      const answers = await Promise.all(uploads)
      for (const { status, text } of answers) assert.notEqual(status, 500, text)
      seen.push(...answers)
    }
    console.log(`uploads beside deletes (${store}): ${JSON.stringify(tally(seen))}`)
    await nothingLeft(servers.first)
  })

  test('a delete that could not be carried out is finished by the next start', async () => {
    await using servers = await startServers(store, 1)
    const { control } = servers.first.app
    const tenant = await servers.first.tenant('cats')
    assert.equal((await upload(servers.first, tenant, { file: await picture(1) })).status, 200)
    await control.store.changeControl(async (db) => {
      await db.deleteFrom('tenant').execute()
      await db.updateTable('site').set({ state: 'dropping' }).execute()
    })
    await finishDrops(control)
    await nothingLeft(servers.first)
  })
})

const picture = (shade: number) =>
  sharp({ create: { width: 300, height: 300, channels: 3, background: { r: shade * 20, g: 90, b: 60 } } })
    .png()
    .toBuffer()

/** What is at work when the answer is given may take a moment. */
async function nothingLeft(app: TestApp): Promise<void> {
  using watch = startStopwatch()
  for (;;) {
    try {
      const { sites, siteRows, litter } = await storedSitesOf(app)
      assert.deepEqual([[...sites], siteRows, litter], [[], [], []])
      assert.deepEqual(await filesIn(join(app.dataDir, 'sites')), [])
      return
    } catch (error) {
      if (watch.ms() > 20_000) throw error
    }
    await pause(100)
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
