import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  create,
  created,
  head,
  padded,
  patch,
  sendUnfinished,
  terminate,
} from '../support/clients/resumable.ts'
import { assertHealthy } from '../support/doctor.ts'
import { type Answer, onEachStore, startTestApp } from '../support/harness.ts'
import { doDueJobs, leftoversOf } from '../support/jobs.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { tally, times } from '../support/servers/several-servers.ts'
import { fewInQuick } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import { limit, onSiteOf, picture, set, statsOf, upload } from '../support/uploads.ts'

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }
const hourSeconds = 3_600

onEachStore('limits of resumable uploads', (store) => {
  test('creations at once reserve no byte over the limit', { timeout: 300_000 }, async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const off = { SERVICE_MAX_OPEN_UPLOADS: '0', SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0' }
    await limit(app, cats, { ...off, SERVICE_MAX_STORAGE: '10500000' })
    const all = fewInQuick(
      times(1_000, (index) => index),
      60,
    )
    const answers: Answer[] = []
    // No more at a time than the database has connections for.
    for (let from = 0; from < all.length; from += 40)
      answers.push(
        ...(await Promise.all(all.slice(from, from + 40).map(() => create(ends, { key, length: 50_000 })))),
      )
    assert.deepEqual(tally(answers), { 201: 10, 403: all.length - 10 })
    const [made] = answers.filter(({ status }) => status === 201)
    const [refused] = answers.filter(({ status }) => status === 403)
    assert.ok(made && refused)
    assert.deepEqual([...problem(refused), refused.json.error.code], [403, 'quota-reached', 999])
    assert.equal((await statsOf(app, cats)).storage_used, 0, 'what is reserved is not used')

    // A file in one request finds the reserved bytes taken too.
    assert.equal((await upload(app, cats)).status, 403)
    const id = String(made.headers.location).split('/').at(-1) ?? ''
    assert.equal((await terminate(ends, id, key)).status, 204)
    assert.equal((await upload(app, cats)).status, 200)
    const bytes = padded(await picture({ format: 'jpeg' }), 50_000)
    const [other] = answers.filter((each) => each.status === 201 && each !== made)
    const open = String(other?.headers.location).split('/').at(-1) ?? ''
    const finished = await patch(ends, open, { key, offset: 0, bytes })
    assert.equal(finished.status, 204, finished.text)
    await assertHealthy(app.app)
  })

  test('open uploads, floods and numbers of files are limited at the creation', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const publicKey = 'a-public-key-of-cats'
    await set(app, cats, { public_key: publicKey, flood_user_minute: '6', flood_guest_minute: '50' })
    await limit(app, cats, { SERVICE_MAX_OPEN_UPLOADS: '3' })
    const bytes = await picture()
    const first = await created(ends, { key, length: bytes.length })
    await created(ends, { key, length: 10 })
    const third = await created(ends, { key, length: 10 })
    assert.equal((await patch(ends, first, { key, offset: 0, bytes })).status, 204)
    await created(ends, { key, length: 10 })
    assert.equal((await head(ends, third, key)).status, 200, 'a finished upload makes room')
    const ofGuest = await created(ends, { key: publicKey, length: 10 })
    await created(ends, { key: publicKey, length: 10 })
    assert.deepEqual(problem(await patch(ends, ofGuest, { key: publicKey, offset: 0, bytes })), [410, 'gone'])

    await limit(app, cats, { SERVICE_MAX_OPEN_UPLOADS: '0' })
    // Five hits of this address so far: one file, and four uploads that are open.
    const sixth = await created(ends, { key, length: 10 })
    assert.deepEqual(problem(await create(ends, { key, length: 10 })), [429, 'upload-refused'])
    assert.equal((await terminate(ends, sixth, key)).status, 204)
    await created(ends, { key, length: 10 })
    await set(app, cats, { flood_user_minute: '0' })
    await limit(app, cats, { SERVICE_MAX_FILES: '1' })
    assert.deepEqual(problem(await create(ends, { key, length: 10 })), [403, 'limit-reached'])
  })

  test('at the limit the upload idle longest gives way, with its bytes and what it reserved', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    await limit(app, cats, { SERVICE_MAX_OPEN_UPLOADS: '3', SERVICE_MAX_STORAGE: '3300000' })
    const bytes = Buffer.alloc(60_000, 1)
    const make = async () => {
      app.wait(1)
      return created(ends, { key, length: 100_000 })
    }
    const [first, second, third] = [await make(), await make(), await make()]
    const keys = async () => (await leftoversOf(app, cats)).keys.filter((each) => each.startsWith('partial/'))
    const statuses = async (...ids: string[]) =>
      Promise.all(ids.map(async (id) => (await head(ends, id, key)).status))
    app.wait(1)
    for (const id of [second, first])
      assert.equal((await patch(ends, id, { key, offset: 0, bytes })).status, 204)
    assert.equal((await keys()).length, 2)

    const fourth = await make()
    assert.deepEqual(await statuses(first, second, third, fourth), [200, 200, 410, 200])
    const fifth = await make()
    assert.deepEqual(await statuses(first, second, fourth, fifth), [200, 410, 200, 200])
    assert.equal((await keys()).length, 1, 'its bytes are removed')
    assert.equal((await terminate(ends, second, key)).status, 410)
    const open = await ask5(app, cats, 'GET uploads', { key })
    assert.equal(open.json.data.length, 3)
    await assertHealthy(app.app)
  })

  test('an upload that is being sent or finished never gives way', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    await limit(app, cats, { SERVICE_MAX_OPEN_UPLOADS: '2' })
    const [sent, finished] = [
      await created(ends, { key, length: 100_000 }),
      await created(ends, { key, length: 10 }),
    ]
    const sending = sendUnfinished(sent, {
      port: app.port,
      hostname: cats.hostname,
      key,
      offset: 0,
      bytes: Buffer.alloc(10, 1),
      announced: 100_000,
    })
    const row = (id: string) =>
      onSiteOf(app, cats, ({ db }) =>
        db.selectFrom('resumableUpload').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      )
    await until(async () => (await row(sent)).leasedUntil !== null, 'the request is known')
    // A server that makes the file.
    const soon = new Date(app.app.control.clock.now().getTime() + 5_000).toISOString()
    await onSiteOf(app, cats, ({ db }) =>
      db
        .updateTable('resumableUpload')
        .set({ state: 'finishing', leasedUntil: soon })
        .where('id', '=', finished)
        .execute(),
    )
    assert.deepEqual(problem(await create(ends, { key, length: 10 })), [403, 'limit-reached'])
    assert.equal((await head(ends, sent, key)).status, 200)
    sending.destroy()
    await until(async () => (await row(sent)).leasedUntil === null, 'the request is over')
    const next = await created(ends, { key, length: 10 })
    assert.equal((await head(ends, sent, key)).status, 410, 'its client has left')

    app.wait(6)
    await created(ends, { key, length: 10 })
    assert.equal((await head(ends, finished, key)).status, 410, 'the server that made it has died')
    assert.equal((await head(ends, next, key)).status, 200)
  })

  test('an upload ends a day after its last byte, and after seven days at the latest', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const bytes = await picture()
    const [id, left] = [
      await created(ends, { key, length: 1_000 }),
      await created(ends, { key, length: 1_000, metadata: {} }),
    ]
    const send = (offset: number) => patch(ends, id, { key, offset, bytes: bytes.subarray(0, 10) })
    assert.equal((await send(0)).status, 204)
    const done = await created(ends, { key, length: bytes.length })
    assert.equal((await patch(ends, done, { key, offset: 0, bytes })).status, 204)
    const keys = async () => (await leftoversOf(app, cats)).keys.filter((each) => each.startsWith('partial/'))
    assert.equal((await keys()).length, 1)
    for (let day = 1; day <= 7; day += 1) {
      app.wait(23 * hourSeconds)
      await doDueJobs(app)
      assert.equal((await send(day * 10)).status, 204, `day ${day}`)
      assert.equal((await keys()).length, day + 1)
      if (day !== 2) continue
      assert.equal((await head(ends, left, key)).status, 410, 'no byte came')
      assert.equal((await head(ends, done, key)).status, 404, 'its answer is forgotten')
    }
    assert.equal((await head(ends, left, key)).status, 404)
    const state = await head(ends, id, key)
    assert.ok(
      Date.parse(String(state.headers['upload-expires'])) <
        app.app.control.clock.now().getTime() + 8 * hourSeconds * 1_000,
    )
    app.wait(8 * hourSeconds)
    assert.deepEqual(problem(await send(80)), [410, 'gone'], 'before any job has run')
    await assertHealthy(app.app)
    const [run] = await doDueJobs(app)
    assert.ok((run?.done['expire-uploads'] ?? 0) >= 1)
    assert.deepEqual(await keys(), [])
    app.wait(25 * hourSeconds)
    await doDueJobs(app)
    assert.equal((await head(ends, id, key)).status, 404)
    const rows = await onSiteOf(app, cats, ({ db }) =>
      db.selectFrom('resumableUpload').select('id').execute(),
    )
    assert.deepEqual(rows, [])
  })
})
