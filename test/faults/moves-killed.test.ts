import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'vitest'
import { readLocation, readTenant } from '../../src/tenants/index.ts'
import { freshBucket } from '../support/buckets.ts'
import { ask } from '../support/delivered.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { otherDatabase, siteFilesIn } from '../support/places.ts'
import { radosgwOfRun } from '../support/radosgw.ts'
import { pathOfProgram } from '../support/test-programs.ts'
import { ranOf } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { md5Of, picture, statsOf, type TestTenant, upload } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()

const driver = pathOfProgram('move-driver.ts')

function drive(app: TestApp, id: string, killAt: number) {
  const { NODE_COMPILE_CACHE = '' } = process.env
  const environment = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE, ...app.environment }
  return ranOf(spawn(process.execPath, [driver, String(killAt), id], { env: environment, stdio: 'pipe' }))
}

/** The process that moves is killed at steps this far apart; on one store at every one of them. */
const stride = { sqlite: 1, postgres: 3 }

onBothStores('a move that is killed', (store) => {
  test('loses nothing, lets uploads go on, and is finished by a repetition', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const bucket = radosgw && (await freshBucket(radosgw))
    const cats = await app.tenant('cats')
    const there = {
      SERVICE_DATABASE_URL: store === 'sqlite' ? database.url : 'sqlite:',
      ...(bucket ? { SERVICE_STORAGE_URL: bucket.url } : {}),
    }
    const stored = new Map<string, string>()
    const uploadNow = async () => {
      const file = await picture({ seed: stored.size + 1 })
      await until(async () => {
        const { status, json } = await upload(app, cats, { file })
        if (status === 200) stored.set(json.image.url, md5Of(file))
        return status === 200
      }, 'an upload is taken')
    }
    await uploadNow()

    let isThere = false
    for (let killAt = 1; ; killAt += stride[store]) {
      const env: Record<string, string> = isThere ? {} : there
      assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
      const { code, out, err } = await drive(app, cats.id, killAt)
      const isKilled = code === null
      if (!isKilled) {
        assert.equal(code, 0, err)
        assert.ok(JSON.parse(out).steps < killAt)
        break
      }
      await uploadNow()
      await assertAllServed(app, stored)
      const repeated = await drive(app, cats.id, 0)
      assert.equal(repeated.code, 0, repeated.err)
      isThere = !isThere
      await assertAllServed(app, stored)
      assert.equal((await statsOf(app, cats)).files, stored.size, `killed at ${killAt}`)
      await assertNothingLeft(app, cats)
      const isOnDisk: boolean = bucket === undefined || !isThere
      const isSqlite: boolean = isThere === (store === 'postgres')
      const files = await siteFilesIn(app.dataDir)
      assert.equal(files.filter((name) => name.endsWith('.db')).length, Number(isSqlite), files.join())
      assert.equal(
        files.some((name) => !name.endsWith('.db')),
        isOnDisk,
        files.join(),
      )
      if (bucket) assert.equal((await bucket.keys()).length, isOnDisk ? 0 : 2 * stored.size)
      if (store === 'sqlite') assert.equal((await database.rowCount()) > 0, isThere)
    }
  }, 900_000)
})

async function assertAllServed(app: TestApp, stored: ReadonlyMap<string, string>): Promise<void> {
  for (const [url, md5] of stored) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, md5Of(bytes)], [200, md5], url)
  }
}

async function assertNothingLeft(app: TestApp, { id }: TestTenant): Promise<void> {
  const { control } = app.app
  const { move, stopped, left } = await readLocation(control, (await readTenant(control, id)).site)
  assert.deepEqual([move, stopped, left], [undefined, undefined, []])
}
