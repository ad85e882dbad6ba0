import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dropEndedExports } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { assertServed, backupFolder, keptOf, serveAt } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'

async function ended(app: TestApp, path: string): Promise<any> {
  let found: any
  await until(async () => {
    found = (await app.call('GET', path)).json
    return found.state === 'done' || found.state === 'failed'
  }, 'the export has ended')
  return found
}

onEachStore('an export by the management API', (store) => {
  test('is answered at once, done by the server, downloaded and gone after a day', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await app.call('PATCH', 'tenants/cats', { env: { SECRET: 'of cats' } })
    const kept = await keptOf(app, await uploaded(app, cats))
    const begun = await app.call('POST', 'tenants/cats/export', { passphrase: 'a long passphrase' })
    assert.equal(begun.status, 202)
    assert.equal(begun.headers.location, `/_/api/4/tenants/cats/exports/${begun.json.id}`)
    expect(begun.json).toMatchObject({ bytes: null, error: null, finished_at: null, expires_at: null })
    const path = `tenants/cats/exports/${begun.json.id}`
    const done = await ended(app, path)
    assert.deepEqual([done.state, done.error], ['done', null])

    const headers = { 'x-api-key': app.key, 'x-signature': app.sign('') }
    const download = await ask(app, `http://localhost/_/api/4/${path}/archive`, headers)
    assert.equal(download.headers['content-type'], 'application/x-tar')
    assert.equal(download.bytes.length, done.bytes)
    const archive = join(folder.path, 'cats.tar')
    await writeFile(archive, download.bytes)
    await using other = await freshInstallation(store)
    const imported = await other.json('tenants', 'import', archive, '--passphrase', 'a long passphrase')
    assert.deepEqual(imported.env, { SECRET: 'of cats' })
    await using restored = await serveAt(other)
    await assertServed(restored, [kept])

    await app.tenant('dogs')
    assert.equal((await app.call('GET', `tenants/dogs/exports/${begun.json.id}`)).status, 404)
    app.wait(24 * 3_600 + 60)
    assert.equal((await app.call('GET', path)).status, 404)
    assert.equal((await app.call('GET', `${path}/archive`)).status, 404)
    assert.equal(await dropEndedExports(app.app.control), 1)
    assert.deepEqual(await readdir(join(app.dataDir, 'exports')).catch(() => []), [])
    await assertHealthy(app.app)
  })

  test('is deleted with its archive, and refused for a tenant that is not installed', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.call('POST', 'tenants', { id: 'new', hostname: 'new.test', is_enabled: true })
    assert.equal((await app.call('POST', 'tenants/new/export', {})).status, 409)
    assert.equal((await app.call('POST', 'tenants/none/export', {})).status, 404)
    assert.equal((await app.call('POST', 'tenants/cats/export', { passphrase: 'short' })).status, 400)
    assert.equal((await app.call('POST', 'tenants/cats/export', { more: 1 })).status, 400)
    const { json } = await app.call('POST', 'tenants/cats/export', {})
    const path = `tenants/cats/exports/${json.id}`
    await ended(app, path)
    assert.ok(existsSync(join(app.dataDir, 'exports', `${json.id}-1.tar`)))
    assert.equal((await app.call('DELETE', path)).status, 204)
    assert.equal((await app.call('DELETE', path)).status, 404)
    assert.equal((await app.call('GET', path)).status, 404)
    assert.ok(!existsSync(join(app.dataDir, 'exports', `${json.id}-1.tar`)))
  })

  test('is begun anew after its server was killed, and fails after three of them', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const { json } = await app.call('POST', 'tenants/cats/export', {})
    const path = `tenants/cats/exports/${json.id}`
    await ended(app, path)
    const left = (tries: number) =>
      app.app.control.store.control
        .updateTable('tenantExport')
        .set({
          state: 'running',
          tries,
          leasedBy: '1@elsewhere',
          bytes: null,
          error: null,
          leasedUntil: '2026-01-01T00:00:00.000Z',
          finishedAt: null,
          expiresAt: null,
        })
        .execute()
    await left(1)
    assert.equal((await app.call('GET', path)).json.state, 'running')
    assert.equal((await app.call('GET', `${path}/archive`)).status, 409)
    app.app.exports.wake()
    assert.equal((await ended(app, path)).state, 'done')
    await left(3)
    app.app.exports.wake()
    const failed = await ended(app, path)
    assert.deepEqual([failed.state, failed.bytes], ['failed', null])
    assert.match(failed.error, /the servers that worked on it ended/)
  })
})
