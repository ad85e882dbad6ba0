import assert from 'node:assert/strict'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { finishMoves } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { faultsOf } from '../support/doctor.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { type Paging, startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { runHere } from '../support/tool.ts'
import { md5Of, picture, type TestTenant, uploaded } from '../support/uploads.ts'

interface Stored {
  url: string
  md5: string
}

/** Five files, each with a thumb and a medium version: fifteen objects. */
async function uploadFive(app: TestApp, tenant: TestTenant): Promise<Stored[]> {
  const stored: Stored[] = []
  for (let seed = 0; seed < 5; seed += 1) {
    const file = await picture({ seed, width: 520, height: 20 })
    const image = await uploaded(app, tenant, { file })
    const versions = [image.url, image.thumb.url, image.medium.url]
    for (const url of versions) stored.push({ url, md5: md5Of((await ask(app, url)).bytes) })
  }
  return stored
}

async function assertServed(app: TestApp, stored: readonly Stored[]): Promise<void> {
  for (const { url, md5 } of stored) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, status === 200 ? md5Of(bytes) : ''], [200, md5], url)
  }
}

async function move(app: TestApp, { id }: TestTenant, env: Record<string, string>) {
  assert.equal((await app.call('PATCH', `tenants/${id}`, { env })).status, 204)
  const { code, out, err } = await runHere(['tenants', 'move', '--id', id, '--json'], app.environment)
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

const pagings: Record<string, () => Paging> = {
  'pages of 1 to 4': () => {
    let page = 0
    return { pageSize: () => (page++ % 4) + 1 }
  },
  'empty pages that are not the last': () => ({ pageSize: () => 3, hasEmptyPages: true }),
  'repeated keys': () => ({ pageSize: () => 2, isRepeating: true }),
  'no last page': () => ({ pageSize: () => 4, isLastDropped: true }),
}

onBothStores('rows decide, not listings', (store) => {
  test.each(Object.entries(pagings))('with %s a move there and back loses nothing', async (_, paging) => {
    await using stub = await startS3Stub()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const stored = await uploadFive(app, cats)
    stub.setPaging(paging())

    const there = await move(app, cats, { SERVICE_STORAGE_URL: stub.url })
    assert.deepEqual([there.moved, there.files, there.lost], [true, 15, []])
    assert.equal(stub.objects.size, 15)
    await assertServed(app, stored)
    assert.deepEqual(faultsOf(await examineApp(app.app)), [], 'the doctor believes rows, too')

    const back = await move(app, cats, {})
    assert.deepEqual([back.moved, back.files, back.cleaned], [true, 15, true])
    assert.equal(stub.objects.size, 0, 'what rows know of is removed whether it is listed or not')
    await assertServed(app, stored)
  })

  test('a dropped tenant leaves nothing in a bucket that does not list its last page', async () => {
    await using stub = await startS3Stub()
    await using app = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const cats = await app.tenant('cats')
    await uploadFive(app, cats)
    assert.equal(stub.objects.size, 15)
    stub.setPaging({ pageSize: () => 8, isLastDropped: true })
    assert.equal((await app.call('DELETE', 'tenants/cats', { drop_tables: true })).status, 204)
    assert.equal(stub.objects.size, 0)
  })

  test('an old copy is removed only when every key of every row is at the new place', async () => {
    await using one = await startS3Stub()
    await using two = await startS3Stub()
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', {
      id: 'cats',
      hostname: 'cats.test',
      is_enabled: true,
      env: { SERVICE_STORAGE_URL: one.url },
    })
    const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
    const { json } = await app.call('POST', 'tenants/cats/install', account)
    const cats = { id: 'cats', hostname: 'cats.test', apiKey: json.api_key }
    const stored = await uploadFive(app, cats)

    one.setFault(({ action }) => (action === 'delete' ? 'refuseDeletes' : undefined))
    const moved = await move(app, cats, { SERVICE_STORAGE_URL: two.url })
    assert.deepEqual([moved.moved, moved.cleaned, one.objects.size], [true, false, 15])
    // As an earlier version left it, which believed a short page: 4 of 15.
    for (const key of [...two.objects.keys()].slice(4)) two.objects.delete(key)
    one.setFault(() => undefined)
    app.wait(3)
    const faults: unknown[] = []
    await finishMoves(app.app.control, (_site, fault) => faults.push(fault))
    assert.deepEqual([faults, one.objects.size, two.objects.size], [[], 0, 15])
    await assertServed(app, stored)
  })
})
