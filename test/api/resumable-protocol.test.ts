import assert from 'node:assert/strict'
import { test } from 'vitest'
import { checksumOf, create, created, head, patch, terminate } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { onSiteOf, picture, set, type TestTenant, uploaded } from '../support/uploads.ts'

const storedKeys = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async (site) =>
    (await site.storage.list('', undefined, 1_000)).map(({ key }) => key.split('/')[0]),
  )

const statesOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, ({ db }) => db.selectFrom('resumableUpload').select('state').execute())

onEachStore('the protocol of resumable uploads', (store) => {
  test('refuses a creation with a wrong header or wrong metadata, and stores nothing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const refused = async (creating: Partial<Parameters<typeof create>[1]>) =>
      problem(await create(ends, { key, length: 10, ...creating }))
    const noVersion = await create(ends, { key, length: 10, headers: { 'tus-resumable': '0.2.2' } })
    assert.deepEqual([problem(noVersion), noVersion.headers['tus-version']], [[412, 'tus-version'], '1.0.0'])
    assert.deepEqual(await refused({ length: '' }), [400, 'invalid'])
    assert.deepEqual(await refused({ length: '-1' }), [400, 'invalid'])
    assert.deepEqual(await refused({ length: 0 }), [400, 'upload-refused'])
    assert.deepEqual(await refused({ length: 100_000_001 }), [413, 'upload-refused'])
    assert.deepEqual(await refused({ headers: { 'upload-defer-length': '1' } }), [400, 'invalid'])
    assert.deepEqual(await refused({ headers: { 'upload-concat': 'partial' } }), [400, 'invalid'])
    for (const metadata of ['title !', 'title /w==', 'tags YQ==,tags YQ==', 'unknown YQ==', 'a b c'])
      assert.deepEqual(await refused({ metadata: {}, headers: { 'upload-metadata': metadata } }), [
        400,
        'invalid',
      ])
    assert.deepEqual(await refused({ metadata: { title: 'x'.repeat(101) } }), [400, 'upload-refused'])
    assert.deepEqual(await refused({ metadata: { expiration: 'soon' } }), [400, 'upload-refused'])
    assert.equal((await refused({ metadata: { album_id: 'another' } }))[0], 403)
    assert.deepEqual(await refused({ metadata: { replace: 'x' } }), [403, 'scope-missing'])
    const kept = await onSiteOf(app, cats, ({ db }) =>
      db.selectFrom('resumableUpload').select('id').execute(),
    )
    assert.deepEqual(kept, [])
  })

  test('refuses bytes with a wrong offset, type, length or checksum, and loses nothing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const bytes = await picture()
    const id = await created(ends, { key, length: bytes.length })
    const send = async (sending: Partial<Parameters<typeof patch>[2]>) =>
      problem(await patch(ends, id, { key, offset: 0, bytes: bytes.subarray(0, 50), ...sending }))
    assert.deepEqual(await send({ offset: 10 }), [409, 'offset-differs'])
    assert.deepEqual(await send({ offset: 'x' }), [400, 'invalid'])
    assert.deepEqual(await send({ headers: { 'tus-resumable': '2.0.0' } }), [412, 'tus-version'])
    assert.deepEqual(await send({ headers: { 'content-type': 'image/png' } }), [
      415,
      'unsupported-media-type',
    ])
    assert.deepEqual(await send({ bytes: Buffer.concat([bytes, bytes]) }), [413, 'too-large'])
    assert.deepEqual(await send({ headers: { 'upload-checksum': 'crc32 AAAA' } }), [400, 'invalid'])
    assert.deepEqual(await send({ headers: { 'upload-checksum': checksumOf(bytes) } }), [
      460,
      'checksum-mismatch',
    ])
    assert.equal((await head(ends, id, key)).headers['upload-offset'], '0')
    for (const [index, algorithm] of ['sha1', 'sha256', 'md5'].entries()) {
      const part = bytes.subarray(index * 10, index * 10 + 10)
      const headers = { 'upload-checksum': checksumOf(part, algorithm) }
      assert.equal((await patch(ends, id, { key, offset: index * 10, bytes: part, headers })).status, 204)
    }
    const rest = await patch(ends, id, { key, offset: 30, bytes: bytes.subarray(30) })
    assert.equal(rest.status, 204, rest.text)
    assert.deepEqual(await statesOf(app, cats), [{ state: 'done' }])
  })

  test('ends an upload whose creation does not match its checksum', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const bytes = await picture()
    const unsound = { key, length: 100, bytes: bytes.subarray(0, 50) }
    const damaged = await create(ends, { ...unsound, headers: { 'upload-checksum': checksumOf(bytes) } })
    assert.deepEqual(problem(damaged), [460, 'checksum-mismatch'])
    assert.deepEqual(await statesOf(app, cats), [{ state: 'ended' }], 'the client does not know its address')
  })

  test('refuses a file of an unknown type with its last bytes, and removes the pieces', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    const text = Buffer.from('This is a text, and no picture.')
    const badId = await created(ends, { key, length: text.length })
    assert.equal((await patch(ends, badId, { key, offset: 0, bytes: text.subarray(0, 9) })).status, 204)
    const end = await patch(ends, badId, { key, offset: 9, bytes: text.subarray(9) })
    assert.deepEqual([...problem(end), end.json.error.code], [400, 'upload-refused', 612])
    assert.equal((await head(ends, badId, key)).status, 410)
    assert.deepEqual(problem(await patch(ends, badId, { key, offset: 9, bytes: text })), [410, 'gone'])
    assert.ok(!(await storedKeys(app, cats)).includes('partial'), 'its pieces are gone')
  })

  test('lets a client that can only send POST name the method in a header', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'write')
    const bytes = await picture({ seed: 5 })
    const id = await created(ends, { key, length: bytes.length })
    const post = (method: string, headers: Record<string, string> = {}, sent: Buffer = Buffer.alloc(0)) =>
      app.send('POST', `/api/5/uploads/${id}`, {
        bytes: sent,
        headers: {
          host: cats.hostname,
          'tus-resumable': '1.0.0',
          'x-api-key': key,
          'x-http-method-override': method,
          ...headers,
        },
      })
    const asBytes = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    assert.equal((await post('PATCH', asBytes, bytes)).status, 204)
    assert.equal((await post('HEAD')).headers['upload-offset'], String(bytes.length))
    assert.equal(problem(await post('PUT'))[0], 400)
    assert.equal((await post('DELETE')).status, 204)
    assert.equal((await head(ends, id, key)).status, 410)
  })

  test('answers a preflight with its extensions, its limit and its headers', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const options = await app.send('OPTIONS', '/api/5/uploads', {
      headers: { host: cats.hostname, origin: 'https://elsewhere.test', 'x-api-key': key },
    })
    assert.equal(options.status, 204)
    assert.equal(
      options.headers['tus-extension'],
      'creation,creation-with-upload,checksum,expiration,termination',
    )
    assert.equal(options.headers['tus-max-size'], '100000000')
    for (const name of ['upload-offset', 'upload-metadata', 'tus-resumable', 'x-share'])
      assert.match(String(options.headers['access-control-allow-headers']), new RegExp(`\\b${name}\\b`))
    for (const name of ['location', 'upload-offset', 'upload-expires', 'content-location'])
      assert.match(String(options.headers['access-control-expose-headers']), new RegExp(`\\b${name}\\b`))
    assert.match(String(options.headers['access-control-allow-methods']), /PATCH/)
  })

  test('replaces the bytes of a file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'write')
    const bytes = await picture({ seed: 5 })
    const image = await uploaded(app, cats)
    const replacing = { key, length: bytes.length, metadata: { replace: image.id_encoded } }
    const mixed = { ...replacing, metadata: { ...replacing.metadata, title: 'x' } }
    assert.deepEqual(problem(await create(ends, mixed)), [400, 'upload-refused'])
    const replaced = await create(ends, { ...replacing, bytes })
    assert.deepEqual(
      [replaced.status, replaced.headers['content-location']],
      [201, `/api/5/files/${image.id_encoded}`],
      replaced.text,
    )
    assert.equal((await ask5(app, cats, `GET files/${image.id_encoded}`, { key })).json.revision, 2)
  })

  test('counts a creation as a read, and leads a duplicate to the file that is there', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'write')
    await set(app, cats, { duplicates: 'existing' })
    const sent = await picture({ seed: 6 })
    const first = await create(ends, { key, length: sent.length, bytes: sent })
    const second = await create(ends, { key, length: sent.length, bytes: sent })
    assert.equal(second.headers['content-location'], first.headers['content-location'])

    assert.match(String(second.headers['ratelimit-policy']), /^"reads"/)
  })

  test('answers a repeated creation with the same Idempotency-Key once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const key = await keyOf(app, cats, 'write')
    const once = { key, length: 77, headers: { 'idempotency-key': 'one' } }
    const made = await create(ends, once)
    const again = await create(ends, once)
    assert.equal(again.headers.location, made.headers.location)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(problem(await create(ends, { ...once, length: 78 }))[0], 422)
    await terminate(ends, String(made.headers.location).split('/').at(-1) ?? '', key)
  })
})
