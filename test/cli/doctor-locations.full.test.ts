import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp, examineApp } from '../../src/maintenance/index.ts'
import { assertHealthy, findingsOf } from '../support/doctor.ts'
import { onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { assertServed, backupFolder, keptOf, serveAt } from '../support/stores/backups.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { freshInstallation } from '../support/tool.ts'
import { onSiteOf, uploaded } from '../support/uploads.ts'

/** Where the installation's own rows are not. */
async function otherDatabase(store: StoreKind): Promise<{ url: string } & AsyncDisposable> {
  const url = store === 'sqlite' ? await freshDatabaseUrl() : 'sqlite:'
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (url !== 'sqlite:') await dropDatabase(url)
    },
  }
}

async function placedTenant(app: TestApp, url: string) {
  const env = { SERVICE_DATABASE_URL: url }
  const created = await app.call('POST', 'tenants', {
    id: 'far',
    hostname: 'far.test',
    is_enabled: true,
    env,
  })
  assert.equal(created.status, 201, created.text)
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  const { json } = await app.call('POST', 'tenants/far/install', account)
  return { id: 'far', hostname: 'far.test', apiKey: json.api_key as string }
}

const found = async (app: TestApp, options = {}) => findingsOf(await examineApp(app.app, options))

onEachStore('a tenant that is placed elsewhere', (store) => {
  test('is checked at its location, backed up from there, and restored to the installation’s own location', async () => {
    await using folder = await backupFolder()
    await using other = await otherDatabase(store)
    await using app = await startTestApp({ store })
    await app.tenant('near')
    const far = await placedTenant(app, other.url)
    const kept = [await keptOf(app, await uploaded(app, far))]
    assert.deepEqual(await found(app, { isDeep: true }), [])
    await onSiteOf(app, far, async ({ db }) => {
      await db.updateTable('total').set({ value: 7 }).where('name', '=', 'files').execute()
    })
    assert.deepEqual(await found(app), ['totals far total files', 'stats far site 2'])
    assert.deepEqual(await found(app, { isRepairing: true }), [])
    assert.deepEqual(await found(app), [])

    const backup = join(folder.path, 'one')
    await backUp(app.app, { to: backup, withKeys: true })
    await using installation = await freshInstallation(store)
    await installation.json('restore', '--from', backup)
    await using restored = await serveAt(installation)
    await assertServed(restored, kept)
    assert.deepEqual(await found(restored), ['places far SERVICE_DATABASE_URL'])
    await assertHealthy(restored.app, { isDeep: true })
  })
})
