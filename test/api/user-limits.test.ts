import assert from 'node:assert/strict'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { wrongUserTotals } from '../../src/site/index.ts'
import { create, created, patch, terminate } from '../support/clients/resumable.ts'
import { assertHealthy, faultsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import {
  limit,
  multipartOf,
  onSiteOf,
  picture,
  refusalOf,
  set,
  type TestTenant,
  upload,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }

/** A site with a user, who has a key of each kind that the tests need. */
async function start(store: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp({ ...store, environment })
  const cats = await app.tenant('cats')
  const bob = await userWithKey(app, cats, 'bob')
  const key = await keyOf(app, cats, 'write', bob.userId)
  const limitsOf = async (of = key) => (await ask5(app, cats, 'GET me', { key: of })).json.limits
  return { app, cats, bob, key, limitsOf }
}

const sendFile = async (
  { app, cats }: { app: TestApp; cats: TestTenant },
  call: string,
  { key, seed = 0 }: { key?: string; seed?: number } = {},
) => {
  const { type, bytes } = multipartOf([
    { name: 'source', fileName: 'cat.png', value: await picture({ seed }) },
  ])
  const [method = '', path = ''] = call.split(' ')
  const headers = {
    host: cats.hostname,
    'content-type': type,
    ...(key !== undefined && { 'x-api-key': key }),
  }
  return app.send(method, `/api/5/${path}`, { bytes, headers })
}

onEachStore('limits of one user', (store) => {
  test('a user gets no byte over the storage of a user, at no door', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, bob, key, limitsOf } = world
    const { id_encoded: id } = await uploaded(app, cats, { key: bob.key })
    const { used } = (await limitsOf()).SERVICE_MAX_STORAGE_PER_USER
    assert.ok(used > 500)
    const most = 2 * used + 1_000_010
    await limit(app, cats, { SERVICE_MAX_STORAGE_PER_USER: String(most) })
    const message = `SERVICE_MAX_STORAGE_PER_USER is reached (limit ${most}).`
    const refused = [403, 'quota-reached']

    const open = await created([app, cats], { key, length: 10 })
    assert.deepEqual((await limitsOf()).SERVICE_MAX_STORAGE_PER_USER, {
      value: most,
      used,
      reserved: 1_000_010,
    })
    assert.deepEqual(problem(await create([app, cats], { key, length: 10 })), refused)
    assert.equal((await sendFile(world, `PUT files/${id}/content`, { key })).status, 200)
    assert.equal(
      (await limitsOf()).SERVICE_MAX_STORAGE_PER_USER.used,
      2 * used,
      'the earlier revision counts',
    )

    assert.deepEqual(refusalOf(await upload(app, cats, { key: bob.key })), [403, 999, message])
    const base64 = (await picture()).toString('base64')
    assert.deepEqual(
      refusalOf(await upload(app, cats, { key: bob.key, form: { source: base64 } }))[2],
      message,
    )
    assert.deepEqual(problem(await sendFile(world, 'POST files', { key })), refused)
    assert.deepEqual(problem(await sendFile(world, `PUT files/${id}/content`, { key })), refused)
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip' } })).json
    const share = await ask5(app, cats, `POST albums/${album.id}/shares`, {
      key,
      body: { allow_upload: true },
    })
    const token = share.json.url.split('/').at(-1)
    assert.deepEqual(problem(await sendFile(world, `POST shares/${token}/files`)), refused)
    const { pass } = (await ask5(app, cats, 'POST shares/open', { body: { token } })).json
    const collecting = await create([app, cats], { length: 10, headers: { 'x-share': pass } })
    assert.deepEqual(problem(collecting), refused)
    const admin = await keyOf(app, cats, 'admin')
    assert.deepEqual(problem(await sendFile(world, `PUT files/${id}/content`, { key: admin })), refused)
    const replacing = { filename: 'cat.png', replace: id }
    assert.deepEqual(
      problem(await create([app, cats], { key: admin, length: 10, metadata: replacing })),
      refused,
      'the owner pays for a replacement by an administrator',
    )

    assert.equal(
      (await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 1 } })).status,
      200,
    )
    assert.equal((await ask5(app, cats, `DELETE files/${id}`, { key })).status, 204)
    assert.equal((await upload(app, cats, { key: bob.key })).status, 403, 'the trash counts')
    assert.equal((await upload(app, cats)).status, 200, 'others have their own')
    await set(app, cats, { public_key: 'a-public-key-of-the-site' })
    await limit(app, cats, { SERVICE_MAX_STORAGE_PER_USER: '1', SERVICE_MAX_FILES_PER_USER: '1' })
    assert.equal((await upload(app, cats)).status, 403, 'administrators are users')
    assert.equal((await upload(app, cats, { key: 'a-public-key-of-the-site' })).status, 200, 'guests are not')

    await limit(app, cats, { SERVICE_MAX_STORAGE_PER_USER: String(most) })
    assert.equal((await terminate([app, cats], open, key)).status, 204)
    assert.equal((await upload(app, cats, { key: bob.key })).status, 200, 'the reservation is released')
    await assertHealthy(app.app)
  })

  test('what a share collects is reserved for the owner of its album, and finished in it', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, key, limitsOf } = world
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip' } })).json
    const share = await ask5(app, cats, `POST albums/${album.id}/shares`, {
      key,
      body: { allow_upload: true },
    })
    const { pass } = (
      await ask5(app, cats, 'POST shares/open', { body: { token: share.json.url.split('/').at(-1) } })
    ).json
    const bytes = await picture()
    const headers = { 'x-share': pass }
    await limit(app, cats, { SERVICE_MAX_STORAGE_PER_USER: String(1_000_000 + bytes.length) })
    const id = await created([app, cats], { length: bytes.length, headers })
    assert.equal((await limitsOf()).SERVICE_MAX_STORAGE_PER_USER.reserved, 1_000_000 + bytes.length)
    assert.deepEqual(problem(await create([app, cats], { key, length: 10 })), [403, 'quota-reached'])
    const sent = await patch([app, cats], id, { offset: 0, bytes, headers })
    assert.equal(sent.status, 204, sent.text)
    const { used, reserved } = (await limitsOf()).SERVICE_MAX_STORAGE_PER_USER
    assert.deepEqual([used > 0, reserved], [true, 0])
  })

  test('files of a user are limited without the trash, and restored as far as there is room', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, bob, key, limitsOf } = world
    await limit(app, cats, { SERVICE_MAX_FILES_PER_USER: '2' })
    const send = () => upload(app, cats, { key: bob.key })
    const ids = [await send(), await send()].map(({ json }) => json.image.id_encoded)
    assert.deepEqual(refusalOf(await send()), [403, 999, 'SERVICE_MAX_FILES_PER_USER is reached (limit 2).'])
    assert.deepEqual(problem(await create([app, cats], { key, length: 10 })), [403, 'limit-reached'])
    assert.deepEqual((await limitsOf()).SERVICE_MAX_FILES_PER_USER, { value: 2, used: 2 })
    const metadata = { filename: 'cat.png', replace: ids[0] }
    const bytes = await picture({ seed: 3 })
    const replacement = await created([app, cats], { key, length: bytes.length, metadata })
    assert.equal((await patch([app, cats], replacement, { key, offset: 0, bytes })).status, 204)

    await ask5(app, cats, 'POST files/bulk', { key, body: { action: 'trash', ids } })
    assert.equal((await limitsOf()).SERVICE_MAX_FILES_PER_USER.used, 0)
    assert.equal((await send()).status, 200)
    const restoring = { action: 'restore', ids }
    const { json } = await ask5(app, cats, 'POST files/bulk', { key, body: restoring })
    const results = json.results.map(
      ({ status, code }: { status: number; code: string }) => `${status} ${code}`,
    )
    assert.deepEqual(results, ['200 ok', '403 limit-reached'])
    assert.deepEqual(problem(await ask5(app, cats, `POST files/${ids[1]}/restore`, { key })), [
      403,
      'limit-reached',
    ])
    await assertHealthy(app.app)
  })

  test('a user who takes over the files of another needs room for them', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, bob, limitsOf } = world
    const admin = await keyOf(app, cats, 'admin')
    await uploaded(app, cats, { key: bob.key })
    await uploaded(app, cats)
    const remove = async () => {
      const heir = (await ask5(app, cats, 'GET me', { key: admin })).json.user.id
      return ask5(app, cats, `DELETE users/${bob.userId}?files=${heir}`, { key: admin })
    }
    await limit(app, cats, { SERVICE_MAX_FILES_PER_USER: '1' })
    assert.deepEqual(problem(await remove()), [403, 'limit-reached'])
    const { used } = (await limitsOf(admin)).SERVICE_MAX_STORAGE_PER_USER
    await limit(app, cats, { SERVICE_MAX_STORAGE_PER_USER: String(2 * used - 1) })
    assert.deepEqual(problem(await remove()), [403, 'quota-reached'])
    await limit(app, cats, {
      SERVICE_MAX_STORAGE_PER_USER: String(2 * used),
      SERVICE_MAX_FILES_PER_USER: '2',
    })
    assert.ok((await remove()).status < 300)
    const limits = await limitsOf(admin)
    assert.deepEqual(
      [limits.SERVICE_MAX_STORAGE_PER_USER.used, limits.SERVICE_MAX_FILES_PER_USER.used],
      [2 * used, 2],
    )
    await assertHealthy(app.app)
  })

  test('a site that is only told about its quota may go over it, a user may not', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, bob, key } = world
    await app.call('PATCH', 'tenants/cats', {
      limits: { SERVICE_MAX_STORAGE: '1', SERVICE_MAX_STORAGE_PER_USER: '2000000' },
      env: { SERVICE_QUOTA_ACTION: 'alert' },
    })
    assert.equal((await upload(app, cats, { key: bob.key })).status, 200)
    await created([app, cats], { key, length: 900_000 })
    assert.deepEqual(problem(await create([app, cats], { key, length: 10 })), [403, 'quota-reached'])
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_QUOTA_ACTION: 'refuse' } })
    assert.deepEqual(refusalOf(await upload(app, cats)), [
      403,
      999,
      'SERVICE_MAX_STORAGE is reached (limit 1).',
    ])
  })

  test('the doctor finds totals of users that differ from their rows, and repairs them', async () => {
    const world = await start({ store })
    await using app = world.app
    const { cats, bob } = world
    await uploaded(app, cats, { key: bob.key })
    await onSiteOf(app, cats, ({ db }) =>
      db.updateTable('userTotal').set({ files: 7 }).where('userId', '=', bob.userId).execute(),
    )
    assert.deepEqual(faultsOf(await examineApp(app.app, {})), [`totals cats user total ${bob.userId}`])
    await examineApp(app.app, { isRepairing: true })
    await onSiteOf(app, cats, async ({ db }) => assert.deepEqual(await wrongUserTotals(db), []))
    await assertHealthy(app.app)
  })
})
