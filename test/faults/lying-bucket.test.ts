import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { created, head, padded, patch } from '../support/clients/resumable.ts'
import { ask } from '../support/delivered.ts'
import { faultsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { type StubCall, startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { md5Of, picture, statsOf, upload, uploaded } from '../support/uploads.ts'

const isOfFiles = ({ key }: StubCall) => key.includes('images/') || key.includes('partial/')

onEachStore('a bucket behind something that answers for it', (store) => {
  async function start() {
    const stub = await startS3Stub()
    const app = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const cats = await app.tenant('cats')
    return {
      stub,
      app,
      cats,
      async [Symbol.asyncDispose]() {
        await app[Symbol.asyncDispose]()
        await stub[Symbol.asyncDispose]()
      },
    }
  }

  test('a page in place of every answer is no upload, and the server is not ready', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    stub.setFault(() => 'page')
    const refused = await upload(app, cats, { file: await picture({ seed: 1 }) })
    assert.equal(refused.status, 503, refused.text)
    assert.equal((await app.send('GET', '/_/health/ready')).status, 503)
    assert.equal((await statsOf(app, cats)).files, 0)
  })

  test('a page in place of the answers to puts alone is no upload either', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    stub.setFault((call) => (call.action === 'put' && isOfFiles(call) ? 'page' : undefined))
    assert.equal((await upload(app, cats, { file: await picture({ seed: 1 }) })).status, 503)
    assert.equal([...stub.objects.keys()].filter((key) => key.includes('images/')).length, 0)
    stub.setFault(() => undefined)
    await uploaded(app, cats, { file: await picture({ seed: 1 }) })
  })

  test.each(['etag', 'nothing'] as const)('a server that echoes %s stores what it is sent', async (echo) => {
    await using at = await start()
    const { stub, app, cats } = at
    stub.setEcho(echo)
    const file = await picture({ seed: 3, width: 600 })
    const image = await uploaded(app, cats, { file })
    assert.equal(md5Of((await ask(app, image.url)).bytes), image.md5)
  })

  test('bytes that arrive changed are found by the echo, and sent again', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    stub.setEcho('etag')
    let puts = 0
    stub.setFault((call) => (call.action === 'put' && isOfFiles(call) && ++puts === 1 ? 'damage' : undefined))
    const { status, json, text } = await upload(app, cats, { file: await picture({ seed: 3 }) })
    stub.setFault(() => undefined)
    if (status === 200) assert.equal(md5Of((await ask(app, json.image.url)).bytes), json.image.md5)
    else assert.equal(status, 503, text)
  })

  test('pieces of a resumable upload and new bytes of a file are not acknowledged on a page', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    const key = await keyOf(app, cats, 'write')
    const image = await uploaded(app, cats, { file: await picture({ seed: 1 }) })
    const bytes = padded(await picture({ seed: 2 }), 30_000)
    const id = await created([app, cats], { key, length: bytes.length })
    stub.setFault((call) => (isOfFiles(call) ? 'page' : undefined))
    const piece = await patch([app, cats], id, { key, offset: 0, bytes: bytes.subarray(0, 10_000) })
    assert.equal(piece.status, 503, piece.text)
    assert.equal((await head([app, cats], id, key)).headers['upload-offset'], '0')
    const replaced = await app.send('PUT', `/api/5/files/${image.id_encoded}/content`, {
      bytes: await picture({ seed: 5 }),
      headers: { host: cats.hostname, 'content-type': 'application/octet-stream', 'x-api-key': key },
    })
    assert.equal(replaced.status, 503, replaced.text)
    stub.setFault(() => undefined)
    const { json } = await ask5(app, cats, `GET files/${image.id_encoded}`, { key })
    assert.equal(json.revision, 1)
  })

  test('one flipped bit in a piece is read again, and one that stays keeps the offset', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    const key = await keyOf(app, cats, 'write')
    const bytes = padded(await picture({ seed: 2 }), 30_000)
    const id = await created([app, cats], { key, length: bytes.length })
    await patch([app, cats], id, { key, offset: 0, bytes: bytes.subarray(0, 20_000) })
    stub.setFault((call) => (call.action === 'get' && isOfFiles(call) ? 'flip' : undefined))
    const last = { key, offset: 20_000, bytes: bytes.subarray(20_000) }
    assert.equal((await patch([app, cats], id, last)).status, 503)
    assert.equal((await head([app, cats], id, key)).headers['upload-offset'], '20000')
    let gets = 0
    stub.setFault((call) => (call.action === 'get' && isOfFiles(call) && ++gets === 1 ? 'flip' : undefined))
    const done = await patch([app, cats], id, last)
    assert.equal(done.status, 204, done.text)
    const file = await app.send('GET', String(done.headers['content-location']), {
      headers: { host: cats.hostname, 'x-api-key': key },
    })
    assert.equal(md5Of((await ask(app, file.json.url)).bytes), file.json.md5)
  })

  test('wrong bytes and wrong ranges are never delivered', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    // Behind the end of a picture nothing is kept, so its pixels are random.
    const file = await picture({ seed: 7, width: 900 })
    const image = await uploaded(app, cats, { file })
    const whole = md5Of((await ask(app, image.url)).bytes)
    await using second = await startTestApp({ beside: app })
    stub.setFault((call) => (call.action === 'get' && isOfFiles(call) ? 'flip' : undefined))
    for (const url of [image.url, image.thumb.url, image.medium.url]) {
      const { status, headers } = await ask(second, url)
      assert.deepEqual([status, headers['cache-control']], [503, 'no-store'], url)
    }
    const other = stub.objects.get([...stub.objects.keys()].find((key) => key.includes('.th.')) ?? '')
    assert.ok(other)
    other.bytes = randomBytes(other.bytes.length)
    stub.setFault(() => undefined)
    assert.equal((await ask(second, image.thumb.url)).status, 503)
    stub.setFault((call) => (call.action === 'get' && isOfFiles(call) ? 'otherRange' : undefined))
    const part = await ask(second, image.url, { range: 'bytes=100-199' })
    assert.equal(part.status, 206)
    assert.deepEqual(part.bytes, (await ask(second, image.url)).bytes.subarray(100, 200))
    assert.equal(md5Of((await ask(second, image.url)).bytes), whole)
  })

  test('a zip with a wrong entry breaks off', async () => {
    await using at = await start()
    const { stub, app, cats } = at
    const key = await keyOf(app, cats, 'write')
    const album = await ask5(app, cats, 'POST albums', { key, body: { title: 'Cats', privacy: 'public' } })
    for (const seed of [1, 2])
      await uploaded(app, cats, { file: await picture({ seed }), fields: { album_id: album.json.id }, key })
    const { pathname } = new URL(album.json.url)
    const zip = () => ask(app, `http://${cats.hostname}${pathname}/zip`)
    assert.equal((await zip()).status, 200)
    stub.setFault((call) => (call.action === 'get' && isOfFiles(call) ? 'flip' : undefined))
    await assert.rejects(zip())
  })

  test('a page in place of the listing is a fault of the storage', async () => {
    await using at = await start()
    const { stub, app } = at
    stub.setFault(({ action }) => (action === 'list' ? 'page' : undefined))
    const faults = faultsOf(await examineApp(app.app))
    assert.ok(
      faults.some((fault) => fault.startsWith('storage')),
      faults.join('\n'),
    )
  })
})
