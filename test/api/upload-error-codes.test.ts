import assert from 'node:assert/strict'
import { globSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'
import { create, created, finishedAs, padded, patch } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { until } from '../support/until.ts'
import {
  limit,
  multipartOf,
  picture,
  refusalOf,
  type TestTenant,
  upload,
  uploaded,
} from '../support/uploads.ts'

interface Slow {
  path: string
  key: string
  type: string
  bytes: Buffer
}

/** Sends most of a body, calls `meanwhile` once the server has stored some of it, and then the rest. */
async function sendSlowly(
  app: TestApp,
  tenant: TestTenant,
  { path, key, type, bytes }: Slow,
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; json: any }> {
  const headers = { host: tenant.hostname, 'x-api-key': key, 'content-type': type }
  const outgoing = request({
    port: app.port,
    host: '127.0.0.1',
    method: 'POST',
    path,
    agent: false,
    headers: { ...headers, 'content-length': bytes.length },
  })
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; json: any }>()
  outgoing.on('error', reject)
  outgoing.on('response', async (answer) => {
    resolve({ status: answer.statusCode ?? 0, json: JSON.parse(await text(answer)) })
  })
  outgoing.write(bytes.subarray(0, -1_000))
  const stored = () => globSync('spool/*/*', { cwd: app.dataDir }).map((name) => join(app.dataDir, name))
  await until(() => stored().some((name) => statSync(name).size > 200_000), 'Bytes have come')
  await meanwhile()
  outgoing.end(bytes.subarray(-1_000))
  return promise
}

onEachStore('an album that is deleted while a file is sent', (store) => {
  test('leaves the file without an album, private, and the answer says so', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const newAlbum = async () =>
      (await ask5(app, cats, 'POST albums', { key, body: { title: 'Cats', privacy: 'private' } })).json.id
    const remove = async (id: string) =>
      assert.equal((await ask5(app, cats, `DELETE albums/${id}`, { key })).status, 204)
    const jpeg = await picture({ format: 'jpeg' })
    const fileOf = (seed: number) => padded(jpeg, 1_000_000, seed)
    const check = async (json: any, bytes: Buffer) => {
      assert.deepEqual(json.warnings, ['album-deleted'])
      const kept = await ask5(app, cats, `GET files/${json.id}`, { key })
      assert.deepEqual([kept.json.album_id, kept.json.is_private, kept.json.size], [null, true, bytes.length])
      assert.equal((await ask5(app, cats, `GET files/${json.id}`)).status, 404, 'nobody else sees it')
    }

    const ofRaw = await newAlbum()
    const raw = { path: `/api/5/files?album_id=${ofRaw}`, type: 'image/jpeg', bytes: fileOf(1) }
    const first = await sendSlowly(app, cats, { ...raw, key }, () => remove(ofRaw))
    assert.equal(first.status, 201, JSON.stringify(first.json))
    await check(first.json, raw.bytes)

    const ofForm = await newAlbum()
    const form = multipartOf([
      { name: 'album_id', value: ofForm },
      { name: 'source', value: fileOf(2), fileName: 'cat.jpg' },
    ])
    const sent = { ...form, path: '/api/5/files', key }
    const second = await sendSlowly(app, cats, sent, () => remove(ofForm))
    assert.equal(second.status, 201, JSON.stringify(second.json))
    await check(second.json, fileOf(2))

    const ofParts = await newAlbum()
    const bytes = fileOf(3)
    const metadata = { filename: 'cat.jpg', album_id: ofParts }
    const id = await created([app, cats], { key, length: bytes.length, metadata })
    await patch([app, cats], id, { key, offset: 0, bytes: bytes.subarray(0, 600_000) })
    await remove(ofParts)
    const last = await patch([app, cats], id, { key, offset: 600_000, bytes: bytes.subarray(600_000) })
    assert.equal(last.status, 204, last.text)
    await check((await finishedAs([app, cats], id, key)).json, bytes)

    const unknown = await app.send('POST', `/api/5/files?album_id=${ofParts}`, {
      bytes,
      headers: { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/jpeg' },
    })
    assert.equal(unknown.status, 403, 'an album that was not there when the upload began')
    const loose = await sendSlowly(
      app,
      cats,
      { ...raw, path: '/api/5/files', bytes: fileOf(4), key },
      newAlbum,
    )
    assert.equal('warnings' in loose.json, false)
  })
})

onEachStore('causes of a refused upload', (store) => {
  test('have a code each: the password, the uploads of a share, bytes and numbers', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Cats' } })).json.id
    const share = async (body: object) => {
      const made = await ask5(app, cats, `POST albums/${album}/shares`, { key, body })
      return String(made.json.url).split('/').at(-1) ?? ''
    }
    const open = (body: object) => ask5(app, cats, 'POST shares/open', { body })
    const send = async (token: string, headers = {}) =>
      app.send('POST', `/api/5/shares/${token}/files`, {
        bytes: await picture(),
        headers: { host: cats.hostname, 'content-type': 'image/png', ...headers },
      })

    const locked = await share({ password: 'meow', allow_upload: true })
    assert.deepEqual(problem(await open({ token: locked })), [403, 'password-needed'])
    assert.deepEqual(problem(await open({ token: locked, password: 'woof' })), [403, 'wrong-password'])
    assert.deepEqual(problem(await send(locked)), [403, 'password-needed'])

    const full = await share({ allow_upload: true, max_uploads: 1 })
    const headers = { 'x-share': (await open({ token: full })).json.pass }
    const bytes = await picture({ seed: 5 })
    const begun = await created([app, cats], { length: bytes.length, headers })
    assert.equal((await send(full)).status, 201)
    assert.deepEqual(problem(await send(full)), [403, 'uploads-used-up'])
    const late = await create([app, cats], { length: 10, headers })
    assert.deepEqual(problem(late), [403, 'uploads-used-up'])
    const finished = await patch([app, cats], begun, { offset: 0, bytes, headers })
    assert.deepEqual(problem(finished), [403, 'uploads-used-up'])

    const { storage_used: used, files } = (
      await ask5(app, cats, 'GET stats', { key: await keyOf(app, cats, 'admin') })
    ).json
    await limit(app, cats, { SERVICE_MAX_STORAGE: String(used + 10) })
    const post = () =>
      app.send('POST', '/api/5/files', {
        bytes,
        headers: { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' },
      })
    assert.deepEqual(problem(await post()), [403, 'quota-reached'])
    assert.deepEqual(problem(await create([app, cats], { key, length: 10 })), [403, 'quota-reached'])
    assert.equal(refusalOf(await upload(app, cats, { file: bytes }))[1], 999)
    await limit(app, cats, { SERVICE_MAX_STORAGE: '0', SERVICE_MAX_FILES: String(files) })
    assert.deepEqual(problem(await post()), [403, 'limit-reached'])
    assert.deepEqual(problem(await create([app, cats], { key, length: 10 })), [403, 'limit-reached'])
    assert.equal(refusalOf(await upload(app, cats, { file: bytes }))[1], 999)
  })

  test('of storage are foretold by GET me, which has what unfinished uploads reserve', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    await uploaded(app, cats)
    const storage = async () => (await ask5(app, cats, 'GET me', { key })).json.limits.SERVICE_MAX_STORAGE
    const { used } = await storage()
    assert.deepEqual(await storage(), { value: null, used, reserved: 0 })
    await limit(app, cats, { SERVICE_MAX_STORAGE: '10000000' })
    await created([app, cats], { key, length: 2_000_000 })
    const bytes = await picture({ seed: 2 })
    const id = await created([app, cats], { key, length: bytes.length })
    assert.deepEqual(await storage(), { value: 10_000_000, used, reserved: 4_000_000 + bytes.length })
    assert.equal((await patch([app, cats], id, { key, offset: 0, bytes })).status, 204)
    const after = await storage()
    assert.ok(after.used > used)
    assert.equal(after.reserved, 3_000_000)
  })
})
