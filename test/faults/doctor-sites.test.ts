import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { pathOnDisk } from '../support/delivered.ts'
import { assertHealthy, findingsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { onSiteOf, type TestTenant, upload, uploaded } from '../support/uploads.ts'

const dayS = 86_400

const found = async (app: TestApp, options = {}) => findingsOf(await examineApp(app.app, options))

/** Says what a doctor finds, that it mends it, and that a second look finds nothing. */
async function checkRepair(app: TestApp, findings: readonly string[]): Promise<void> {
  assert.deepEqual(await found(app), findings)
  assert.deepEqual(await found(app), findings, 'a look changes nothing')
  assert.deepEqual(await found(app, { isRepairing: true }), [])
  assert.deepEqual(await found(app), [])
}

/** Its key and where its bytes lie. */
async function storedAt(app: TestApp, tenant: TestTenant, url: string) {
  const path = await pathOnDisk(app, tenant, url)
  return { path, key: path.split('/files/')[1] as string }
}

onEachStore('the doctor, of a site', (store) => {
  test('finds nothing after ordinary use', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const first = await uploaded(app, cats, { fields: { tags: 'a,b' } })
    await uploaded(app, dogs)
    await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    await app.send('GET', new URL(first.url_viewer).pathname, { headers: { host: cats.hostname } })
    const deleted = await app.send('GET', new URL(first.delete_url).pathname, {
      headers: { host: cats.hostname },
    })
    assert.equal(deleted.status, 200, deleted.text)
    await app.call('DELETE', 'tenants/dogs')
    assert.deepEqual(await found(app, { isDeep: true }), [])
    await assertHealthy(app.app)
  })

  test('finds totals that differ from the rows, and recounts them', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    await onSiteOf(app, cats, async ({ db }) => {
      await db.updateTable('total').set({ value: 7 }).where('name', '=', 'files').execute()
    })
    assert.deepEqual(await found(app), ['totals cats total files', 'stats cats site 1'])
    assert.deepEqual(await found(app, { isRepairing: true }), [])
    assert.deepEqual(await found(app), [])
    assert.equal((await app.call('GET', 'tenants/cats')).json.stats.files, 1)
  })

  test('finds stats that differ from the site’s totals', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    await app.app.control.store.changeControl((db) =>
      db.updateTable('site').set({ stats: '{"files":5}' }).execute(),
    )
    await checkRepair(app, ['stats cats site 1'])
  })

  test('finds missing and truncated bytes, of every variant', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    await uploaded(app, dogs)
    const images = []
    for (let each = 0; each < 4; each += 1) images.push(await uploaded(app, cats))
    const [, noThumb, short, gone] = images
    const thumb = await storedAt(app, cats, noThumb.thumb.url)
    const cut = await storedAt(app, cats, short.url)
    const lost = [await storedAt(app, cats, gone.url), await storedAt(app, cats, gone.thumb.url)]
    for (const { path } of [thumb, ...lost]) await rm(path)
    await truncate(cut.path, 10)
    const expected = [thumb, cut, ...lost].map(({ key }) => `bytes cats ${key}`)
    assert.deepEqual((await found(app)).sort(), expected.sort())
    assert.deepEqual((await found(app, { isRepairing: true })).sort(), expected.sort(), 'no row is removed')
    assert.deepEqual(await found(app, { id: 'dogs' }), [])
    assert.equal((await found(app, { id: 'cats' })).length, 4)
  })

  test('finds orphaned bytes once they are a day old, and removes them with --repair', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { path } = await storedAt(app, cats, (await uploaded(app, cats)).url)
    const stray = join(dirname(path), 'AAAAAAAAAAAA.png')
    await writeFile(stray, 'bytes')
    assert.deepEqual(await found(app), [])
    const old = new Date(Date.now() - 2 * dayS * 1_000)
    await utimes(stray, old, old)
    await checkRepair(app, [`bytes cats ${stray.split('/files/')[1]}`])
    assert.deepEqual((await readdir(dirname(path))).length, 2)
  })

  test('finds changed bytes with --deep', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { path, key } = await storedAt(app, cats, (await uploaded(app, cats)).url)
    const bytes = await readFile(path)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    await writeFile(path, bytes)
    assert.deepEqual(await found(app), [])
    assert.deepEqual(await found(app, { isDeep: true }), [`contents cats ${key}`])
  })

  test('finds bytes of removed files that are still stored', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    const path = 'images/2026/01/01/BBBBBBBBBBBB.png'
    const onDisk = await onSiteOf(app, cats, async ({ db, storage }) => {
      const requestedAt = new Date(Date.now() - 2 * dayS * 1_000).toISOString()
      await db.insertInto('removal').values({ id: 'old', storageId: null, path, requestedAt }).execute()
      return storage.localPath?.(path) ?? ''
    })
    await mkdir(dirname(onDisk), { recursive: true })
    await writeFile(onDisk, 'bytes')
    await checkRepair(app, [`outbox cats ${path}`])
    await expect(readFile(onDisk)).rejects.toThrow('ENOENT')
  })

  test('finds files that expired long ago, and damage that a scrub has recorded', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { id_encoded: id } = await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    await onSiteOf(app, cats, async ({ db }) => {
      const foundAt = new Date().toISOString()
      await db.insertInto('damage').values({ fileId: id, fault: 'it is broken', foundAt }).execute()
    })
    assert.deepEqual(await found(app), [`scrub cats ${id}`])
    app.wait(2 * dayS)
    const findings = await found(app)
    assert.ok(findings.includes(`expired cats ${id}`), findings.join())
  })

  test('finds a tenant whose location differs from its values', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const env = { SERVICE_STORAGE_URL: 's3://key:secret@127.0.0.1:9/bucket?scheme=http' }
    assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
    assert.deepEqual(await found(app), ['places cats SERVICE_STORAGE_URL'])
    await assertHealthy(app.app)
  })

  test('finds dangling references', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { fields: { tags: 'one' } })
    await breakReference(app)
    assert.deepEqual(await found(app), ['site-tables cats site 1'])
  })

  test('finds nothing while files are uploaded and removed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    let isOver = false
    const work = async (seed: number) => {
      for (let turn = 0; !isOver; turn += 1) {
        const image = await uploaded(app, cats, { fields: { title: `${seed} ${turn}` } })
        if (turn % 2 === 0) continue
        await app.send('GET', new URL(image.delete_url).pathname, { headers: { host: cats.hostname } })
      }
    }
    const works = [1, 2, 3].map(work)
    for (let turn = 0; turn < 5; turn += 1) assert.deepEqual(await found(app), [])
    isOver = true
    await Promise.all(works)
    assert.deepEqual(await found(app, { isDeep: true }), [])
  })
})

/** A tag's name that no tag has, written past what the database allows. */
async function breakReference({ environment, dataDir }: TestApp): Promise<void> {
  const url = environment.SERVICE_DATABASE_URL
  if (url === undefined) {
    const database = new Database(join(dataDir, 'sites/1/site.db'))
    database.pragma('foreign_keys = off')
    database.exec(`update "fileTag" set "tagName" = 'nothing'`)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set session_replication_role = replica')
  await client.query(`update "fileTag" set "tagName" = 'nothing'`)
  await client.end()
}

test('a broken site file is named, and the other sites are checked', async () => {
  await using app = await startTestApp()
  const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
  const { path, key } = await storedAt(app, dogs, (await uploaded(app, dogs)).url)
  await rm(path)
  await app.app.control.sites.close(1)
  await writeFile(
    join(app.dataDir, 'sites/1/site.db'),
    'no database at all, and longer than a header'.repeat(40),
  )
  assert.deepEqual(await found(app), ['site-tables cats site 1', `bytes dogs ${key}`])
  assert.equal((await upload(app, cats)).status, 503)
})

test('a site with older tables is named, and migrated with --repair', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  const { sites } = app.app.control
  // The head of its audit log is copied soon, which would open the site and migrate it.
  await until(() => sites.auditLogs.dueSites().length === 0, 'the head is copied')
  await sites.close(1)
  const database = new Database(join(app.dataDir, 'sites/1/site.db'))
  database.exec(`drop table "gate"; delete from "migration" where "name" = 'site/004-gate'`)
  database.close()
  await checkRepair(app, ['site-tables cats site 1'])
})
