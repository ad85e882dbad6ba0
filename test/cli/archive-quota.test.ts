import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { importTenant } from '../../src/tenants/index.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, type TestApp } from '../support/harness.ts'
import { ask5, keptConnections, keyOf } from '../support/media.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { exportTo } from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { runsOf } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import {
  limit,
  multipartOf,
  picture,
  refusalOf,
  set,
  statsOf,
  type TestTenant,
  upload,
  uploaded,
} from '../support/uploads.ts'

const unlimited = { SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0', SERVICE_RATE_READS: '0' }
/** In the archive, and added to the imported site. */
const [archived, added] = [2, 3]
const uploads = runsOf(1_000, 60)
const clients = 20

const importDogs = ({ app: { control, requestSecret } }: TestApp, from: string) =>
  importTenant(control, { from, id: 'dogs', hostname: 'dogs.test', requestSecret })

/** The events about quotas. */
async function eventsOf(app: TestApp, dogs: TestTenant, key: string): Promise<string[]> {
  const found: { verb: string; after: { percent?: number } }[] = []
  for (const verb of ['quota.alert', 'quota.reached', 'quota.cleared'])
    found.push(...(await ask5(app, dogs, `GET audit?verb=${verb}`, { key })).json.data)
  return found.map(({ verb, after }) => [verb.slice(6), after.percent].filter(Boolean).join(' ')).sort()
}

onEachStore('the storage limit of a tenant that is imported', (store) => {
  test('is kept by uploads that arrive before, while and after it gets its address', {
    timeout: 300_000,
  }, async () => {
    await using folder = await backupFolder()
    const archive = join(folder.path, 'cats.tar')
    await using servers = await startServers(store)
    const app = servers.first
    const cats = await app.tenant('cats')
    await limit(app, cats, unlimited)
    await set(app, cats, { duplicates: 'allow' })
    for (let count = 0; count < archived; count += 1) await uploaded(app, cats)
    const { storage_used: stored = 0 } = await statsOf(app, cats)
    const each = stored / archived
    const most = stored + added * each + (each - 1)
    const alerts = { SERVICE_QUOTA_ALERT: '50,75' }
    await limit(app, cats, { ...unlimited, ...alerts, SERVICE_MAX_STORAGE: String(most) })
    await exportTo(app, archive)

    const dogs = { ...cats, id: 'dogs', hostname: 'dogs.test' }
    const { type, bytes } = multipartOf([{ name: 'source', value: await picture(), fileName: 'cat.png' }])
    const headers = { host: dogs.hostname, 'x-api-key': cats.apiKey, 'content-type': type }
    const answers: { status: number }[] = []
    const isThere = ({ status }: { status: number }) => status !== 404
    using undo = new DisposableStack()
    const connections = servers.all.map((server) => undo.use(keptConnections(server)))
    const uploading = times(clients, async (client) => {
      const server = connections[client % connections.length] ?? app
      while (answers.filter(isThere).length < uploads) {
        const answer = await server.send('POST', '/api/1/upload', { bytes, headers })
        if (answer.status === 403)
          assert.deepEqual(refusalOf(answer).slice(1), [
            999,
            `SERVICE_MAX_STORAGE is reached (limit ${most}).`,
          ])
        answers.push(answer)
      }
    })
    await until(async () => answers.length >= clients, 'uploads arrive before the import')
    const imported = await importDogs(app, archive)
    assert.equal(imported.id, 'dogs')
    await Promise.all(uploading)

    const { 404: before = 0, 200: taken, 403: refused = 0, ...others } = tally(answers)
    assert.ok(before > 0 && refused > 0, JSON.stringify(tally(answers)))
    assert.deepEqual([taken, others], [added, {}])
    assert.equal((await statsOf(app, dogs)).storage_used, stored + added * each)
    const key = await keyOf(app, dogs, 'admin')
    assert.deepEqual(await eventsOf(app, dogs, key), ['alert 50', 'alert 75', 'reached'])
    assert.equal((await statsOf(app, cats)).storage_used, stored)
    await assertHealthy(app.app)
  })

  test('counts if the archive already exceeds it', async () => {
    await using folder = await backupFolder()
    const archive = join(folder.path, 'cats.tar')
    await using servers = await startServers(store)
    const app = servers.first
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    const { storage_used: stored = 0 } = await statsOf(app, cats)
    await limit(app, cats, { ...unlimited, SERVICE_MAX_STORAGE: String(stored - 1) })
    await exportTo(app, archive)
    const dogs = { ...cats, id: 'dogs', hostname: 'dogs.test' }
    await importDogs(app, archive)
    for (const server of servers.all)
      await until(async () => (await upload(server, dogs)).status === 403, 'the refusal of every server')
    const key = await keyOf(app, dogs, 'admin')
    await until(async () => (await eventsOf(app, dogs, key)).length === 3, 'the events of the imported site')
    assert.deepEqual(await eventsOf(app, dogs, key), ['alert 80', 'alert 95', 'reached'])
    const [quota] = (await app.call('GET', 'tenants/dogs/quotas')).json.data
    assert.deepEqual([quota.state, quota.used, quota.value], ['reached', stored, stored - 1])
    const { json } = await app.call('POST', 'tenants/dogs/preview', {
      limits: { SERVICE_MAX_STORAGE: '1' },
    })
    assert.deepEqual(json.exceeded, [{ limit: 'SERVICE_MAX_STORAGE', value: 1, used: stored }])
  })
})
