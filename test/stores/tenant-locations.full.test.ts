import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { rotateKeys } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { freePort, onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { otherDatabase, siteFilesIn } from '../support/stores/other-databases.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { ranOf, startTool } from '../support/tool.ts'
import { statsOf, uploaded } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }

async function placed(app: TestApp, id: string, env: Record<string, string>, planId?: string) {
  const tenant = { id, hostname: `${id}.test`, is_enabled: true, env, ...(planId ? { plan_id: planId } : {}) }
  const created = await app.call('POST', 'tenants', tenant)
  assert.equal(created.status, 201, created.text)
  const installed = await app.call('POST', `tenants/${id}/install`, account)
  return { installed, tenant: { id, hostname: `${id}.test`, apiKey: installed.json?.api_key as string } }
}

onBothStores('a tenant whose settings name a database or storage', (store) => {
  test('is installed there, by its own env or its plan, and is dropped there', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const env = { SERVICE_DATABASE_URL: database.url }
    assert.equal((await app.call('POST', 'tenants-plans', { id: 'far', env })).status, 201)
    const { installed, tenant } = await placed(app, 'cats', {}, 'far')
    assert.equal(installed.status, 201, installed.text)
    const image = await uploaded(app, tenant)
    assert.equal((await ask(app, image.url)).status, 200)
    assert.equal((await statsOf(app, tenant)).files, 1)
    assert.ok((await database.rowCount()) > 10)
    assert.deepEqual(
      (await siteFilesIn(app.dataDir)).filter((name) => name.endsWith('.db')),
      [],
    )

    const again = await app.call('POST', 'tenants/cats/install', account)
    assert.equal(again.status, 409)
    const dropped = await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.ok(dropped.status < 300, dropped.text)
    assert.equal(await database.rowCount(), 0)
    assert.deepEqual(await siteFilesIn(app.dataDir), [])
  })

  bucketed.test('has its files in a bucket, and says so', async () => {
    await using app = await startTestApp({ store })
    const bucket = await freshBucket(radosgw as NonNullable<typeof radosgw>)
    const { tenant } = await placed(app, 'cats', { SERVICE_STORAGE_URL: bucket.url })
    const dogs = await app.tenant('dogs')
    const image = await uploaded(app, tenant)
    assert.equal(image.file.resource.type, 'url')
    assert.equal((await uploaded(app, dogs)).file.resource.type, 'path')
    assert.equal((await ask(app, image.url)).status, 200)
    assert.equal((await bucket.keys()).length, 2)
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.deepEqual(await bucket.keys(), [])
  })

  test('stays where it is when only its values change', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    const env = { SERVICE_DATABASE_URL: database.url }
    assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
    assert.equal((await ask(app, image.url)).status, 200)
    await uploaded(app, cats)
    assert.equal((await statsOf(app, cats)).files, 2)
  })

  test('affects no other tenant while its database is unavailable', async () => {
    await using app = await startTestApp({ store })
    const nowhere = `postgres://nobody:secret-word@127.0.0.1:${await freePort()}/nothing`
    const { installed } = await placed(app, 'cats', { SERVICE_DATABASE_URL: nowhere })
    assert.equal(installed.status, 503)
    assert.match(String(installed.headers['retry-after']), /^\d+$/)
    assert.ok(!installed.text.includes('secret-word'))
    const dogs = await app.tenant('dogs')
    assert.equal((await ask(app, (await uploaded(app, dogs)).url)).status, 200)
    assert.equal((await app.send('GET', '/_/health/ready')).status, 200)
    const list = await app.call('GET', 'tenants')
    assert.equal(list.status, 200)
    await using _second = await startTestApp(store === 'postgres' ? { beside: app } : {})
  })

  test('answers 503 while its database is unavailable, and other sites do not', async () => {
    await using app = await startTestApp({ store })
    const cats = await (async () => {
      await using database = await otherDatabase()
      const { tenant } = await placed(app, 'cats', { SERVICE_DATABASE_URL: database.url })
      const image = await uploaded(app, tenant)
      return { ...tenant, url: image.url as string }
    })()
    const dogs = await app.tenant('dogs')
    const gone = await ask(app, cats.url)
    assert.equal(gone.status, 503)
    assert.match(String(gone.headers['retry-after']), /^\d+$/)
    assert.equal((await ask(app, (await uploaded(app, dogs)).url)).status, 200)
    assert.equal((await app.call('GET', 'tenants')).status, 200)
    const preview = await app.call('POST', 'tenants/cats/preview', { limits: {} })
    assert.equal(preview.status, 503)
    assert.match(String(preview.headers['retry-after']), /^\d+$/)
    assert.equal((await app.call('POST', 'tenants/dogs/preview', { limits: {} })).status, 200)
  })

  test('keeps what its place holds of secrets sealed, under a new key too', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const { tenant } = await placed(app, 'cats', {
      SERVICE_DATABASE_URL: `${database.url}?application_name=password-word`,
    })
    const image = await uploaded(app, tenant)
    const { keyFile, control } = app.app
    assert.ok(keyFile)
    const [old] = keyFile.keys()
    assert.equal(await rotateKeys(control, keyFile), 2)
    assert.notDeepEqual(keyFile.keys(), [old])
    assert.equal((await ask(app, image.url)).status, 200)
    const list = (await app.call('GET', 'tenants/cats')).json
    assert.equal(Object.hasOwn(list, 'place'), false)
    for (const name of await readdir(app.dataDir, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue
      const bytes = await readFile(join(name.parentPath, name.name))
      assert.ok(!bytes.includes('password-word'), name.name)
    }
  })
})

test('an invalid location is refused by the name of its setting, and its value is not repeated', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  const faulty: [Record<string, unknown>, RegExp][] = [
    [
      { env: { SERVICE_DATABASE_URL: 'mysql://a:secret-word@b/c' } },
      /^env\.SERVICE_DATABASE_URL: must be a postgres:/,
    ],
    [{ env: { SERVICE_DATABASE_URL: 'disk:' } }, /^env\.SERVICE_DATABASE_URL: /],
    [
      { env: { SERVICE_STORAGE_URL: 's3://host/secret-word' } },
      /^env\.SERVICE_STORAGE_URL: must have KEY:SECRET/,
    ],
    [{ env: { SERVICE_STORAGE_URL: 'sqlite:' } }, /^env\.SERVICE_STORAGE_URL: /],
    [{ limits: { SERVICE_STORAGE_URL: 'disk:' } }, /^limits\.SERVICE_STORAGE_URL: must be set in env/],
  ]
  for (const [body, expected] of faulty) {
    const calls = [
      await app.call('PATCH', 'tenants/cats', body),
      await app.call('POST', 'tenants', { id: 'dogs', hostname: 'dogs.test', is_enabled: true, ...body }),
      await app.call('POST', 'tenants-plans', { id: 'far', ...body }),
    ]
    for (const { status, json, text } of calls) {
      assert.equal(status, 400, text)
      assert.match(json.error.list[0], expected)
      assert.ok(!text.includes('secret-word'))
    }
  }
  for (const env of [{ SERVICE_DATABASE_URL: 'sqlite:' }, { SERVICE_STORAGE_URL: 'disk:' }, {}]) {
    assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
  }
})

test('a database serves the sites of one installation only', async () => {
  await using first = await startTestApp()
  await using second = await startTestApp()
  await using database = await otherDatabase()
  const env = { SERVICE_DATABASE_URL: database.url }
  assert.equal((await placed(first, 'cats', env)).installed.status, 201)
  const refused = (await placed(second, 'cats', env)).installed
  assert.equal(refused.status, 409, refused.text)
  assert.match(refused.json.error.message, /another installation/)
  const rows = await database.rowCount()

  const child = startTool(['tenants', 'init'], {
    SERVICE_DATA_DIR: join(second.dataDir, 'third'),
    SERVICE_DATABASE_URL: database.url,
  })
  const { code, err } = await ranOf(child)
  assert.equal(code, 1, err)
  assert.match(err, /another installation/)
  assert.equal(await database.rowCount(), rows)

  await using third = await startTestApp({ store: 'postgres' })
  const own = { SERVICE_DATABASE_URL: third.environment.SERVICE_DATABASE_URL as string }
  assert.equal((await placed(first, 'dogs', own)).installed.status, 409)
})
