import assert from 'node:assert/strict'
import { test } from 'vitest'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, type TestApp } from '../support/harness.ts'
import { ask5, keptConnections, keyOf } from '../support/media.ts'
import { startServers, times } from '../support/servers/several-servers.ts'
import { runsOf } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import { limit, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const unlimited = {
  SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
  SERVICE_RATE_READS: '0',
  SERVICE_RATE_WRITES: '0',
}
const count = runsOf(1_000, 80)
const atOnce = 20

/** Uploads files and moves them to the trash. */
async function trashed(app: TestApp, cats: TestTenant, keys: { upload: string; write: string }) {
  const ids: string[] = []
  for (let from = 0; from < count; from += atOnce) {
    const some = times(atOnce, () => uploaded(app, cats, { key: keys.upload }))
    const files = (await Promise.all(some)).map(({ id_encoded: id }) => id as string)
    const body = { action: 'trash', ids: files }
    assert.equal((await ask5(app, cats, 'POST files/bulk', { key: keys.write, body })).status, 200)
    ids.push(...files)
  }
  return ids
}

onEachStore('all files of a trash restored at once', (store) => {
  for (const name of ['SERVICE_MAX_FILES', 'SERVICE_MAX_FILES_PER_USER'] as const)
    test(`bring ${name} to its value, and each one beyond it is refused`, {
      timeout: 600_000,
    }, async () => {
      await using servers = await startServers(store)
      const app = servers.first
      const cats = await app.tenant('cats')
      const bob = await userWithKey(app, cats, 'bob')
      const key = await keyOf(app, cats, 'write', bob.userId)
      await limit(app, cats, unlimited)
      await set(app, cats, { duplicates: 'allow' })
      const ids = await trashed(app, cats, { upload: bob.key, write: key })
      const filesAt = async (server: TestApp) =>
        (await ask5(server, cats, 'GET me', { key })).json.limits?.[name]
      const most = Math.floor(count / 2)
      await limit(app, cats, { ...unlimited, [name]: String(most) })
      for (const server of servers.all)
        await until(async () => (await filesAt(server))?.value === most, 'it knows the limit')
      assert.equal((await filesAt(app)).used, 0)

      using undo = new DisposableStack()
      const connections = servers.all.map((server) => undo.use(keptConnections(server)))
      const busy = { count: 0 }
      /** Every other one by a call for many files. A database that is too busy says so, and is asked again. */
      const restore = async (id: string, index: number): Promise<number> => {
        const server = connections[index % connections.length] ?? app
        for (;;) {
          const isBulk = index % 4 > 1
          const { status, json } = isBulk
            ? await ask5(server, cats, 'POST files/bulk', { key, body: { action: 'restore', ids: [id] } })
            : await ask5(server, cats, `POST files/${id}/restore`, { key })
          const [result] = status === 200 && isBulk ? json.results : [{ status, code: json?.code }]
          if (result.status === 503) {
            busy.count += 1
            continue
          }
          if (result.status !== 200) assert.deepEqual([result.status, result.code], [403, 'limit-reached'])
          return result.status
        }
      }
      const statuses = await Promise.all(ids.map(restore))
      const restored = statuses.filter((status) => status === 200).length
      assert.deepEqual([restored, (await filesAt(app)).used], [most, most], `${busy.count} were busy`)
      const list = await ask5(app, cats, 'GET files?limit=1&count=true', { key })
      assert.deepEqual(list.json.total, { value: most, is_exact: true })
      await assertHealthy(app.app)
    })
})
