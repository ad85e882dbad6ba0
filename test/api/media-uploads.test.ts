import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import {
  limit,
  multipartOf,
  onSiteOf,
  picture,
  set,
  statsOf,
  type TestTenant,
  upload,
  uploaded,
} from '../support/uploads.ts'

onEachStore('uploads by the API of a site', (store) => {
  const send = (
    app: TestApp,
    cats: TestTenant,
    {
      key,
      bytes,
      query = '',
      headers = {},
    }: { key?: string; bytes: Buffer; query?: string; headers?: object },
  ) =>
    app.send('POST', `/api/5/files${query}`, {
      bytes,
      headers: {
        host: cats.hostname,
        'content-type': 'image/png',
        ...(key !== undefined && { 'x-api-key': key }),
        ...headers,
      },
    })

  test('a file is sent as the body, in a form, or by its key of one album', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const bytes = await picture({ seed: 1 })
    const query = `?filename=${encodeURIComponent('Süße Katze.png')}&title=A%20cat&tags=pet,cat&nsfw=1`
    const made = await send(app, cats, { key, bytes, query })
    assert.equal(made.status, 201, made.text)
    const { json } = made
    assert.equal(made.headers.location, `/api/5/files/${json.id}`)
    assert.deepEqual([json.title, json.tags, json.is_nsfw, json.kind], ['A cat', ['cat', 'pet'], true, 'png'])
    assert.match(json.filename, /^Susse-Katze|^Su.*Katze/i)
    assert.equal(json.user.username, 'ada')
    const reader = await keyOf(app, cats, 'read')
    const read = (await ask5(app, cats, `GET files/${json.id}`, { key: reader })).json
    const { delete_url: deleteUrl, ...shown } = json
    assert.deepEqual(read, shown)
    const gone = await app.send('DELETE', new URL(deleteUrl).pathname, { headers: { host: cats.hostname } })
    assert.equal(gone.status, 200)

    const plain = await send(app, cats, { key, bytes: await picture({ seed: 2 }) })
    assert.equal(plain.json.filename, 'upload.png')
    const form = multipartOf([
      { name: 'title', value: 'in a form' },
      { name: 'source', value: await picture({ seed: 3 }), fileName: 'a.png' },
    ])
    const sent = await send(app, cats, { key, bytes: form.bytes, headers: { 'content-type': form.type } })
    assert.deepEqual([sent.status, sent.json.title], [201, 'in a form'])

    const album = await onSiteOf(app, cats, (site) =>
      createAlbum(site, { username: 'ada', title: 'Cats', privacy: 'private' }),
    )
    const writer = await keyOf(app, cats, 'write')
    const bound = (
      await ask5(app, cats, 'POST keys', { key: writer, body: { name: 'bound', album_id: album.id } })
    ).json.key
    const filled = await send(app, cats, { key: bound, bytes: await picture({ seed: 4 }) })
    assert.equal(filled.json.album_id, album.id)
    const other = await send(app, cats, {
      key: bound,
      bytes: await picture({ seed: 5 }),
      query: '?album_id=another',
    })
    assert.equal(other.status, 403)
  })

  test('refusals keep the numbers of the upload API', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const bytes = await picture({ seed: 1 })
    const refused = async (sending: Parameters<typeof send>[2]) => {
      const answer = await send(app, cats, sending)
      return [...problem(answer), answer.json.error.code]
    }
    assert.deepEqual(await refused({ key, bytes: Buffer.from('no picture') }), [400, 'upload-refused', 612])
    assert.deepEqual(await refused({ key, bytes: Buffer.alloc(0) }), [400, 'upload-refused', 130])
    const long = `?title=${'x'.repeat(101)}`
    assert.deepEqual(await refused({ key, bytes, query: long }), [400, 'upload-refused', 140])
    assert.deepEqual(await refused({ key, bytes, query: '?expiration=soon' }), [400, 'upload-refused', 140])
    assert.deepEqual(await refused({ key, bytes, query: '?format=txt' }), [400, 'invalid', 400])
    assert.deepEqual(await refused({ bytes }), [401, 'unauthenticated', 401])
    const reader = await keyOf(app, cats, 'read')
    assert.deepEqual(await refused({ key: reader, bytes }), [403, 'scope-missing', 403])
    await set(app, cats, { max_file_size_user: '1K' })
    const large = await picture({ width: 3_000, height: 2_000, format: 'jpeg' })
    assert.deepEqual(await refused({ key, bytes: large }), [413, 'upload-refused', 400])
    await limit(app, cats, { SERVICE_MAX_FILES: '1' })
    await uploaded(app, cats)
    assert.deepEqual(await refused({ key, bytes }), [403, 'limit-reached', 999])
    await limit(app, cats, { SERVICE_MAX_FILES: '0', SERVICE_ENABLE_API_USER: '0' })
    assert.equal((await send(app, cats, { key, bytes })).status, 403)
  })

  test('guests send the public key, and a duplicate is answered with the first file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const publicKey = 'a-public-key-of-cats'
    await set(app, cats, { public_key: publicKey, duplicates: 'existing' })
    const bytes = await picture({ seed: 7 })
    const guest = await send(app, cats, { key: publicKey, bytes })
    assert.deepEqual([guest.status, guest.json.user], [201, null])
    const again = await send(app, cats, { key: publicKey, bytes })
    assert.deepEqual([again.status, again.json.id, again.json.delete_url], [200, guest.json.id, null])
    const key = await keyOf(app, cats, 'upload')
    const own = await send(app, cats, { key, bytes })
    const twice = await send(app, cats, { key, bytes })
    assert.deepEqual([own.status, twice.status, twice.json.id], [201, 200, own.json.id])
    assert.ok(twice.json.delete_url !== own.json.delete_url)
    await set(app, cats, { duplicates: 'reject' })
    const rejected = await send(app, cats, { key, bytes })
    assert.deepEqual([...problem(rejected), rejected.json.error.code], [400, 'upload-refused', 101])
  })

  test('an Idempotency-Key stores one file for equal bytes and parameters', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const bytes = await picture({ seed: 1 })
    const headers = { 'idempotency-key': 'once' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(app, cats, { key, bytes, query: '?title=a', headers })),
    )
    assert.deepEqual(
      new Set(answers.map(({ status, json }) => `${status} ${json.id} ${json.delete_url}`)).size,
      1,
    )
    assert.equal(answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true').length, 7)
    assert.equal((await statsOf(app, cats)).files, 1)
    const other = await send(app, cats, { key, bytes, query: '?title=b', headers })
    assert.deepEqual(problem(other), [422, 'idempotency-mismatch'])
    const bytesOfAnother = await send(app, cats, {
      key,
      bytes: await picture({ seed: 2 }),
      query: '?title=a',
      headers,
    })
    assert.deepEqual(problem(bytesOfAnother), [422, 'idempotency-mismatch'])
    assert.equal((await upload(app, cats, { file: bytes })).status, 200)
  })
})
