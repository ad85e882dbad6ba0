import assert from 'node:assert/strict'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import {
  create,
  created,
  finishedAs,
  head,
  metadataOf,
  padded,
  patch,
  sendUnfinished,
} from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, set, storedBytes, type TestTenant } from '../support/uploads.ts'

const storedKeys = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async (site) =>
    (await site.storage.list('', undefined, 1_000)).map(({ key }) => key.split('/')[0]),
  )

onEachStore('resumable uploads', (store) => {
  test('a file is sent in several requests, and answered like one that is sent at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const bytes = padded(await picture({ format: 'jpeg' }), 9_000_000)
    const metadata = { filename: 'Süße Katze.jpg', title: 'A cat', tags: 'pet,cat', nsfw: '1' }
    const id = await created([app, cats], { key, length: bytes.length, metadata })
    const first = await patch([app, cats], id, { key, offset: 0, bytes: bytes.subarray(0, 100) })
    assert.deepEqual([first.status, first.headers['upload-offset']], [204, '100'], first.text)
    assert.deepEqual(problem(await finishedAs([app, cats], id, key)), [409, 'upload-unfinished'])
    const open = await head([app, cats], id, key)
    assert.deepEqual(
      [open.status, open.headers['upload-offset'], open.headers['upload-length']],
      [200, '100', '9000000'],
    )
    assert.equal(open.headers['upload-metadata'], metadataOf(metadata))
    assert.equal(open.headers['tus-resumable'], '1.0.0')
    const left = Date.parse(String(open.headers['upload-expires'])) - Date.now()
    assert.ok(left > 23 * 3_600_000 && left <= 24 * 3_600_000)

    const second = await patch([app, cats], id, { key, offset: 100, bytes: bytes.subarray(100) })
    assert.deepEqual([second.status, second.headers['upload-offset']], [204, '9000000'], second.text)
    const answer = await finishedAs([app, cats], id, key)
    assert.equal(answer.status, 200, answer.text)
    const { json } = answer
    assert.equal(second.headers['content-location'], `/api/5/files/${json.id}`)
    assert.deepEqual([json.title, json.tags, json.is_nsfw], ['A cat', ['cat', 'pet'], true])
    assert.deepEqual([json.image.id_encoded, json.image.delete_url], [json.id, json.delete_url])
    assert.equal(json.size, bytes.length)
    assert.deepEqual(await storedBytes(app, cats, json.url), bytes)
    const done = await head([app, cats], id, key)
    assert.deepEqual([done.status, done.headers['upload-offset']], [200, '9000000'])
    assert.ok(!(await storedKeys(app, cats)).includes('partial'), 'the pieces are gone')
    const late = await patch([app, cats], id, { key, offset: 100, bytes: bytes.subarray(0, 1) })
    assert.deepEqual(problem(late), [409, 'offset-differs'])
    const gone = await app.send('DELETE', new URL(json.delete_url).pathname, {
      headers: { host: cats.hostname },
    })
    assert.equal(gone.status, 200)
  })

  test('users, pages, guests and visitors of a share upload; no caller sees another’s upload', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    await set(app, cats, { public_key: 'a-public-key-of-cats' })
    const key = await keyOf(app, cats, 'write')
    const bytes = await picture({ seed: 1 })
    const whole = await create(ends, { key, length: bytes.length, bytes })
    assert.deepEqual([whole.status, whole.headers['upload-offset']], [201, String(bytes.length)], whole.text)
    assert.match(String(whole.headers['content-location']), /^\/api\/5\/files\/\w+$/)

    const { headers } = await logIn(app, cats)
    const byPage = await created(ends, { length: 50, headers })
    const elsewhere = { ...headers, 'sec-fetch-site': 'cross-site' }
    assert.equal(problem(await create(ends, { length: 50, headers: elsewhere }))[0], 401)
    assert.equal((await head(ends, byPage, key)).status, 200, 'another key of the user goes on')

    const guestBytes = await picture({ seed: 2 })
    const guest = { key: 'a-public-key-of-cats', length: guestBytes.length }
    const byGuest = await created(ends, guest)
    assert.equal((await patch(ends, byGuest, { key: guest.key, offset: 0, bytes: guestBytes })).status, 204)
    assert.equal((await finishedAs(ends, byGuest, guest.key)).json.user, null)

    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'x', privacy: 'private' } }))
      .json
    const letterBox = { allow_upload: true, allow_download: false, max_uploads: 1 }
    const share = (await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: letterBox })).json
    const token = share.url.split('/').at(-1)
    const { pass } = (await ask5(app, cats, 'POST shares/open', { body: { token } })).json
    const visiting = { headers: { 'x-share': pass } }
    const visitorBytes = await picture({ seed: 3 })
    const wrong = { ...visiting, length: 10, metadata: { filename: 'x.png', album_id: album.id } }
    assert.deepEqual(problem(await create(ends, wrong)), [400, 'upload-refused'])
    const byVisitor = await created(ends, { ...visiting, length: visitorBytes.length })
    const sent = await patch(ends, byVisitor, { ...visiting, offset: 0, bytes: visitorBytes })
    assert.equal(sent.status, 204, sent.text)
    const collected = await ask5(app, cats, `GET uploads/${byVisitor}`, visiting)
    assert.deepEqual(Object.keys(collected.json).sort(), ['filename', 'id', 'size'])
    const file = await ask5(app, cats, `GET files/${collected.json.id}`, { key })
    assert.deepEqual([file.json.album_id, file.json.user.username], [album.id, 'ada'])
    assert.equal(problem(await create(ends, { ...visiting, length: 10 }))[0], 403, 'the share is used up')

    const bound = (await ask5(app, cats, 'POST keys', { key, body: { name: 'b', album_id: album.id } })).json
      .key
    for (const [id, caller] of [
      [byPage, { key: guest.key }],
      [byPage, visiting],
      [byPage, { key: bound }],
      [byGuest, { key }],
      [byGuest, visiting],
      [byVisitor, { key }],
    ] as const) {
      const tus = { 'tus-resumable': '1.0.0', ...('headers' in caller ? caller.headers : {}) }
      for (const method of ['HEAD', 'GET', 'DELETE'])
        assert.equal(
          (await ask5(app, cats, `${method} uploads/${id}`, { ...caller, headers: tus })).status,
          404,
        )
      assert.equal(problem(await patch(ends, id, { ...caller, offset: 0, bytes }))[0], 404)
    }
  })

  test('a connection that breaks off keeps what came; a new request takes over from one that still sends', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_RATE_READS: '0' } })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const bytes = padded(await picture({ format: 'jpeg' }), 8 * 1_048_576 + 5_000)
    const id = await created(ends, { key, length: bytes.length })
    const offset = async () => Number((await head(ends, id, key)).headers['upload-offset'])
    const unfinished = (from: number, to: number) =>
      sendUnfinished(id, {
        port: app.port,
        hostname: cats.hostname,
        key,
        offset: from,
        bytes: bytes.subarray(from, to),
        announced: bytes.length - from,
      })

    const cut = unfinished(0, 600_000)
    const spooled = () => globSync('spool/*/*', { cwd: app.dataDir }).map((path) => join(app.dataDir, path))
    await until(() => spooled().some((path) => statSync(path).size > 0), 'Bytes have come')
    cut.destroy()
    await until(async () => (await offset()) > 0, 'What came is kept')
    const start = await offset()
    assert.ok(start >= 524_288 && start <= 600_000, `${start}`)

    const slow = unfinished(start, start + 1_000)
    const token = () =>
      onSiteOf(app, cats, ({ db }) => db.selectFrom('resumableUpload').select('token').executeTakeFirst())
    const before = await token()
    await until(async () => (await token())?.token !== before?.token, 'The slow request has begun')
    const next = start + 2_000
    const over = await patch(ends, id, { key, offset: start, bytes: bytes.subarray(start, next) })
    assert.deepEqual([over.status, over.headers['upload-offset']], [204, String(next)], over.text)
    slow.destroy()
    const all = Array.from({ length: 32 }, (_, index) =>
      patch(ends, id, { key, offset: next, bytes: bytes.subarray(next, next + 1_000 + index) }),
    )
    const answers = await Promise.all(all)
    const won = answers.filter(({ status }) => status === 204)
    assert.equal(won.length, 1)
    for (const answer of answers)
      if (answer.status !== 204) assert.deepEqual(problem(answer), [409, 'offset-differs'])
    assert.equal(await offset(), Number(won[0]?.headers['upload-offset']))
    const from = await offset()
    const last = await patch(ends, id, { key, offset: from, bytes: bytes.subarray(from) })
    assert.equal(last.status, 204, last.text)
    const { json } = await finishedAs(ends, id, key)
    assert.deepEqual(await storedBytes(app, cats, json.url), bytes)
    assert.ok(!(await storedKeys(app, cats)).includes('partial'), 'the pieces of all requests are gone')
  })

  test('a client learns that the file is being made without sending the last bytes again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const id = await created([app, cats], { key, length: 200 })
    await patch([app, cats], id, { key, offset: 0, bytes: Buffer.alloc(100) })
    const progress = async () => {
      const { status, headers } = await head([app, cats], id, key)
      return [status, headers['upload-offset'], headers['retry-after']]
    }
    assert.deepEqual(await progress(), [200, '100', undefined])
    // As it is while a server works on the last bytes.
    await onSiteOf(app, cats, ({ db, clock }) =>
      db
        .updateTable('resumableUpload')
        .set({ state: 'finishing', leasedUntil: new Date(clock.now().getTime() + 30_000).toISOString() })
        .execute(),
    )
    assert.deepEqual(await progress(), [200, '100', '1'])
    app.wait(31)
    assert.deepEqual(await progress(), [200, '100', undefined])
  })

  test('bytes wait for a server that makes the file, and not for one that has died, whatever its clock', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const id = await created([app, cats], { key, length: 200 })
    const finishUntil = (seconds: number) =>
      onSiteOf(app, cats, ({ db, clock }) => {
        const leasedUntil = new Date(clock.now().getTime() + seconds * 1_000).toISOString()
        return db.updateTable('resumableUpload').set({ state: 'finishing', leasedUntil }).execute()
      })
    const send = () => patch([app, cats], id, { key, offset: 0, bytes: Buffer.alloc(100) })
    await finishUntil(3)
    let isAnswered = false
    const sending = send().finally(() => {
      isAnswered = true
    })
    for (let seconds = 4; !isAnswered; seconds += 1) await finishUntil(seconds)
    assert.deepEqual(problem(await sending), [423, 'upload-locked'])
    // The clock of the server that has died was an hour ahead.
    await finishUntil(3_600)
    const taken = await send()
    assert.deepEqual([taken.status, taken.headers['upload-offset']], [204, '100'], taken.text)
  })
})
