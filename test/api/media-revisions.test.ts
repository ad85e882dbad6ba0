import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { ask } from '../support/delivered.ts'
import { h264, moving, videoOf, videos } from '../support/fixtures/videos.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs, leftoversOf } from '../support/jobs.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import {
  limit,
  md5Of,
  onSiteOf,
  picture,
  set,
  statsOf,
  type TestTenant,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

onEachStore('revisions of files', (store) => {
  const put = (
    app: TestApp,
    cats: TestTenant,
    id: string,
    sending: { key: string; bytes: Buffer; headers?: object },
  ) =>
    app.send('PUT', `/api/5/files/${id}/content`, {
      bytes: sending.bytes,
      headers: {
        host: cats.hostname,
        'content-type': 'application/octet-stream',
        'x-api-key': sending.key,
        ...sending.headers,
      },
    })
  const checkTotals = (app: TestApp, cats: TestTenant) =>
    onSiteOf(app, cats, async (site) => assert.deepEqual(await recountTotals(site), await allTotals(site.db)))

  test('new bytes are served at the old addresses', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const [first, second] = [
      await picture({ seed: 1 }),
      await picture({ seed: 2, format: 'jpeg', width: 60 }),
    ]
    const image = await uploaded(app, cats, { file: first, fields: { title: 'A cat' } })
    const id: string = image.id_encoded
    const storage = (await statsOf(app, cats)).storage_used ?? 0
    const before = await ask(app, image.url)
    assert.match(before.headers['cache-control'] ?? '', /max-age=31536000, immutable/)

    const replaced = await put(app, cats, id, { key, bytes: second })
    assert.equal(replaced.status, 200, replaced.text)
    const { json } = replaced
    assert.deepEqual([json.revision, json.version, json.title, json.id], [2, 2, 'A cat', id])
    assert.deepEqual(
      [json.mime, json.kind, json.width, json.filename],
      ['image/jpeg', 'jpeg', 60, image.filename],
    )
    assert.equal(json.url, `${image.url}?v=2`)
    assert.equal(json.versions.thumb.url, `${image.thumb.url}?v=2`)
    for (const url of [image.url, json.url]) {
      const sent = await ask(app, url)
      assert.equal(md5Of(sent.bytes), md5Of(second))
      assert.equal(sent.headers['content-type'], 'image/jpeg')
      assert.equal(sent.headers['cache-control'], 'public, max-age=60')
      assert.notEqual(sent.headers.etag, before.headers.etag)
    }
    const stale = await ask(app, image.url, {
      'if-none-match': before.headers.etag ?? '',
      'if-modified-since': new Date(Date.now() + 86_400_000).toUTCString(),
    })
    assert.equal(stale.status, 200)
    assert.equal((await ask(app, image.thumb.url)).status, 200)
    const held = await ask(app, image.url, { range: 'bytes=0-9', 'if-range': before.headers.etag ?? '' })
    assert.equal(held.status, 200)
    await checkTotals(app, cats)
    assert.ok(((await statsOf(app, cats)).storage_used ?? 0) > storage)
  })

  test('an earlier revision can be reverted to, and the oldest is dropped', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const [first, second] = [
      await picture({ seed: 1 }),
      await picture({ seed: 2, format: 'jpeg', width: 60 }),
    ]
    const image = await uploaded(app, cats, { file: first, fields: { title: 'A cat' } })
    const id: string = image.id_encoded
    const before = await ask(app, image.url)
    await put(app, cats, id, { key, bytes: second })
    const list = await ask5(app, cats, `GET files/${id}/revisions`, { key })
    const shown = list.json.data.map((each: any) => [each.revision, each.is_current, each.kind, each.md5])
    assert.deepEqual(shown, [
      [2, true, 'jpeg', md5Of(second)],
      [1, false, 'png', image.md5],
    ])
    const reverted = await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 1 } })
    assert.equal(reverted.status, 200, reverted.text)
    assert.deepEqual([reverted.json.revision, reverted.json.version, reverted.json.md5], [3, 3, image.md5])
    const back = await ask(app, image.url)
    assert.deepEqual([md5Of(back.bytes), back.headers['content-type']], [md5Of(before.bytes), 'image/png'])
    await checkTotals(app, cats)
    const third = await put(app, cats, id, { key, bytes: await picture({ seed: 3 }) })
    assert.equal(third.json.revision, 4)
    const numbers = (await ask5(app, cats, `GET files/${id}/revisions`, { key })).json.data.map(
      (each: any) => each.revision,
    )
    assert.deepEqual(numbers, [4, 3, 2])
    const missing = await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 1 } })
    assert.deepEqual(problem(missing), [404, 'not-found'])
    const same = await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 4 } })
    assert.deepEqual([same.status, same.json.revision], [200, 4])
  })

  test('the bytes of all revisions are kept by the sweep and removed with the file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const [first, second] = [
      await picture({ seed: 1 }),
      await picture({ seed: 2, format: 'jpeg', width: 60 }),
    ]
    const image = await uploaded(app, cats, { file: first, fields: { title: 'A cat' } })
    const id: string = image.id_encoded
    await put(app, cats, id, { key, bytes: second })
    await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 1 } })
    await put(app, cats, id, { key, bytes: await picture({ seed: 3 }) })

    // The sweep and the scrub know the keys of all revisions.
    app.wait(8 * 86_400)
    await doDueJobs(app, cats)
    await onSiteOf(app, cats, async (site) => {
      assert.deepEqual(await site.db.selectFrom('damage').selectAll().execute(), [])
      assert.equal((await site.storage.list('', undefined, 100)).length, 6)
    })
    app.wait(30 * 86_400)
    await doDueJobs(app, cats)
    const remains = await leftoversOf(app, cats)
    assert.deepEqual([remains.files, remains.removals, remains.keys.length], [1, 0, 2])
    assert.equal((await ask(app, image.url)).status, 200)
    await checkTotals(app, cats)
    assert.equal((await ask5(app, cats, `DELETE files/${id}?permanent=true`, { key })).status, 204)
    assert.deepEqual((await leftoversOf(app, cats)).keys, [])
    assert.equal((await statsOf(app, cats)).storage_used, 0)
  })

  test('a replacement is checked like an upload', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const eve = await userWithKey(app, cats, 'eve')
    const image = await uploaded(app, cats)
    const id: string = image.id_encoded
    const bytes = await picture({ seed: 5 })
    const refused = async (sending: Parameters<typeof put>[3]) => problem(await put(app, cats, id, sending))
    assert.deepEqual(await refused({ key, bytes: Buffer.from('nothing') }), [400, 'upload-refused'])
    assert.deepEqual(await refused({ key, bytes, headers: { 'if-match': '"9"' } }), [412, 'version-differs'])
    assert.deepEqual(await refused({ key: await keyOf(app, cats, 'write', eve.userId), bytes }), [
      403,
      'forbidden',
    ])
    assert.deepEqual(await refused({ key: await keyOf(app, cats, 'upload'), bytes }), [403, 'scope-missing'])
    const used = (await statsOf(app, cats)).storage_used ?? 0
    await limit(app, cats, { SERVICE_MAX_STORAGE: String(used + 10) })
    assert.deepEqual(await refused({ key, bytes }), [403, 'quota-reached'])
    await limit(app, cats, { SERVICE_MAX_STORAGE: '0' })
    await ask5(app, cats, `DELETE files/${id}`, { key })
    assert.deepEqual(await refused({ key, bytes }), [409, 'conflict'])
    await ask5(app, cats, `POST files/${id}/restore`, { key })
    const keys = (await leftoversOf(app, cats)).keys
    assert.equal(keys.length, 2)
    await checkTotals(app, cats)

    await set(app, cats, { moderation: 'all' })
    const hers = await uploaded(app, cats, { key: eve.key, file: await picture({ seed: 6 }) })
    const admin = await keyOf(app, cats, 'admin')
    await ask5(app, cats, 'POST files/bulk', {
      key: admin,
      body: { action: 'approve', ids: [hers.id_encoded] },
    })
    assert.equal((await ask(app, hers.url)).status, 200)
    const eves = await keyOf(app, cats, 'write', eve.userId)
    const pending = await put(app, cats, hers.id_encoded, { key: eves, bytes })
    assert.deepEqual([pending.status, pending.json.is_approved], [200, false])
    assert.equal((await ask(app, hers.url)).status, 404)
  })

  videos.test('a picture is not replaced by a video', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { id_encoded: id } = await uploaded(app, cats)
    const bytes = await videoOf('small.mp4', ...moving(), ...h264)
    assert.deepEqual(problem(await put(app, cats, id, { key, bytes })), [409, 'conflict'])
    assert.equal((await leftoversOf(app, cats)).keys.length, 2)
  })

  test('of many replacements at once each is whole, and readers get whole bytes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const pictures = await Promise.all(
      Array.from({ length: 6 }, (_, seed) => picture({ seed, width: 50 + seed })),
    )
    const known = new Set(pictures.map(md5Of))
    const image = await uploaded(app, cats, { file: pictures[0] as Buffer })
    let isDone = false
    const reading = (async () => {
      let reads = 0
      for (; !isDone; reads += 1) {
        const { status, bytes } = await ask(app, image.url)
        assert.equal(status, 200)
        assert.ok(known.has(md5Of(bytes)))
      }
      return reads
    })()
    const headers = { 'idempotency-key': 'twice' }
    const [one, two] = [pictures[1] as Buffer, pictures[1] as Buffer]
    const answers = await Promise.all([
      ...pictures.slice(2).map((bytes) => put(app, cats, image.id_encoded, { key, bytes })),
      ...[one, two].map((bytes) => put(app, cats, image.id_encoded, { key, bytes, headers })),
    ])
    isDone = true
    assert.ok((await reading) > 0)
    assert.ok(answers.every(({ status }) => status === 200))
    const last = (await ask5(app, cats, `GET files/${image.id_encoded}`, { key })).json
    assert.equal(last.revision, 6)
    assert.equal(md5Of((await ask(app, image.url)).bytes), last.md5)
    await checkTotals(app, cats)
    await onSiteOf(app, cats, async (site) => {
      const rows = await site.db.selectFrom('fileRevision').select('keyRevision').execute()
      assert.equal(new Set(rows.map(({ keyRevision }) => keyRevision)).size, 5)
    })
  })
})
