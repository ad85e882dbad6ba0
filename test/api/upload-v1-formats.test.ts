import assert from 'node:assert/strict'
import { afterAll, describe, test } from 'vitest'
import { A, B, bodiesOf, clientsOf } from '../support/clients/upload-clients.ts'
import { sendRaw, startTestApp } from '../support/harness.ts'
import { multipartOf, picture, refusalOf, type Sending, set, upload } from '../support/uploads.ts'

const app = await startTestApp()
const cats = await app.tenant('cats')
afterAll(() => app[Symbol.asyncDispose]())

const png = await picture({ width: 600, height: 300 })
const base64 = png.toString('base64')
const key = cats.apiKey
const send = (sending: Sending) => upload(app, cats, sending)
const { part, text, form, multi } = bodiesOf(png)
const refused = async (sending: Sending) => refusalOf(await send(sending)).slice(0, 2)

describe('third-party formats', () => {
  test('has the file under two names and the success message that its clients know', async () => {
    const { json, status } = await send(form({ image: base64, key, name: 'My cat', expiration: '600' }))
    assert.deepEqual(
      [status, json.success, json.status, json.status_code, json.status_txt],
      [200, true, 200, 200, 'OK'],
    )
    assert.deepEqual(json.data, json.image)
    const { data } = json
    assert.deepEqual(
      [data.id, data.title, data.expiration, data.width, data.height],
      [data.id_encoded, 'My cat', 600, 600, 300],
    )
    for (const name of ['width', 'height', 'size', 'time', 'expiration', 'display_width', 'display_height'])
      assert.ok(Number.isInteger(data[name]), name)
    assert.ok(Math.abs(data.time - Date.now() / 1_000) < 60)
    assert.equal(Date.parse(`${data.expiration_date_gmt.replace(' ', 'T')}Z`) / 1_000, data.time + 600)
    assert.equal(Date.parse(`${data.date_gmt.replace(' ', 'T')}Z`) / 1_000, data.time)
    for (const version of ['image', 'thumb', 'medium'])
      for (const name of ['filename', 'name', 'mime', 'extension', 'url', 'size'])
        assert.ok(data[version][name], name)
  })

  test('counts in seconds, from a minute to 180 days, and knows the durations too', async () => {
    const lives = async (expiration: string) => {
      const { status, json } = await send(form({ image: base64, key, expiration }))
      return status === 200 ? json.data.expiration : json.error.code
    }
    assert.deepEqual([await lives('60'), await lives('15552000')], [60, 15_552_000])
    assert.deepEqual(
      [await lives('0'), await lives(''), await lives('PT5M'), await lives('P1D')],
      [0, 0, 300, 86_400],
    )
    for (const bad of [
      '59',
      '1',
      '15552001',
      '-60',
      '60.5',
      '060',
      '1e3',
      'P7D',
      ' 60',
      '99999999999999999999',
    ])
      assert.equal(await lives(bad), 140, bad)
    assert.equal((await refused(form({ source: base64, key, expiration: '600' })))[1], 140)
  })

  test('comes at both addresses, in every kind of body, and by GET', async () => {
    const sendings: Sending[] = ['/api/1/upload', '/1/upload', '/1//upload', '/1/upload/'].flatMap((path) => [
      { path, fileField: 'image', file: png },
      { path, parts: [{ name: 'image', value: base64 }] },
      { path, form: { image: base64 } },
      { path, json: { image: base64 } },
      { path, form: { image: `data:image/png;base64,${base64}` } },
      { path, method: 'GET', query: { image: base64 } },
    ])
    for (const sending of sendings) {
      const { status, json } = await send(sending)
      assert.deepEqual(
        [status, json.success, json.data?.width],
        [200, true, 600],
        JSON.stringify(json).slice(0, 300),
      )
    }
  })

  test('gives way to the plain form where the source is called so', async () => {
    const other = (await picture({ seed: 3 })).toString('base64')
    const both = await send({ path: '/1/upload', form: { image: other, source: base64, name: 'n' } })
    assert.deepEqual([both.status, both.json.success.code, both.json.data], [200, 200, undefined])
    assert.notEqual(both.json.image.title, 'n')
    const files = await send({ parts: [part('image', 'a.png'), part('source', 'b.png')] })
    assert.deepEqual([files.json.data, files.json.image.original_filename], [undefined, 'b.png'])
    const empty = await send(form({ key, source: '', image: base64 }))
    assert.equal(empty.json.success, true)
  })

  test('is refused as the plain form is', async () => {
    assert.deepEqual(await refused({ path: '/1/upload', key: 'wrong', form: { image: base64 } }), [400, 100])
    assert.deepEqual(await refused({ path: '/1/upload', key: null, form: { image: base64 } }), [400, 100])
    assert.deepEqual(await refused({ path: '/1/upload', form: {} }), [400, 130])
    assert.deepEqual(await refused({ path: '/1/upload', form: { image: 'x*y' } }), [400, 120])
    assert.deepEqual(
      await refused({ path: '/1/upload', form: { image: 'http://127.0.0.1/a.png' } }),
      [400, 150],
    )
    const { json } = await send({
      path: '/1/upload',
      fileField: 'image',
      file: Buffer.from('hello, this is text'),
    })
    assert.deepEqual(Object.keys(json), ['status_code', 'error', 'status_txt'])
    assert.equal(json.error.code, 612)
  })

  test('can be asked for an address alone too', async () => {
    const txt = await send({ form: { image: base64, format: 'txt' } })
    assert.match(txt.text, /^http:\/\/cats\.test:\d+\/images\/.*\.png$/)
    assert.equal((await send({ form: { image: base64, format: 'redirect' } })).status, 302)
  })
})

const at = (json: unknown, path: string) =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], json)

describe('a client that was written for others works unchanged:', () => {
  for (const { name, sends, reads, expects = {} } of clientsOf(key, png)) {
    test(name, async () => {
      const { status, json, headers } = await send(sends)
      assert.equal(status, 200, JSON.stringify(json))
      for (const path of reads.split(' ')) assert.ok(at(json, path), path)
      for (const [path, value] of Object.entries(expects)) assert.deepEqual(at(json, path), value, path)
      assert.deepEqual([headers['access-control-allow-origin'], headers['set-cookie']], ['*', undefined])
    })
  }

  test('picgo custom-uploader takes the body for the address', async () => {
    const { text: url } = await send({ query: { format: 'txt' }, file: png })
    assert.ok(URL.canParse(url) && !/\s/.test(url))
  })

  test('ShareX sxcu follows the redirect to a page that is there', async () => {
    const { status, headers } = await send(
      multi(A, text('key', key), text('format', 'redirect'), part('source', 'cat.png')),
    )
    assert.equal(status, 302)
    const page = await app.send('GET', String(headers.location), { headers: { host: cats.hostname } })
    assert.equal(page.status, 200)
  })

  test('ten at once are all taken', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(form({ key, source: base64, format: 'json' }))),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array.from({ length: 10 }, () => 200),
    )
  })

  test('a body may come in chunks', async () => {
    const { type, bytes } = multipartOf([
      text('key', key),
      text('expiration', '600'),
      part('image', 'cat.png'),
    ])
    const pieces = [bytes.subarray(0, 100), bytes.subarray(100)].flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ])
    const head = `POST ${B} HTTP/1.1\r\nHost: cats.test\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    const answer = await sendRaw(
      app.port,
      Buffer.concat([Buffer.from(head), ...pieces, Buffer.from('0\r\n\r\n')]),
    )
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.match(answer, /"success":true/)
  })
})

test('what a client finds in a refusal is there in every form', async () => {
  for (const sending of [
    form({ key: 'wrong', source: base64 }),
    { ...form({ key: 'wrong', image: base64 }), path: B },
  ]) {
    const { status, json } = await send(sending)
    assert.deepEqual(
      [status, json.status_code, json.status_txt, json.error.code],
      [400, 400, 'Bad Request', 100],
    )
    assert.deepEqual(
      [json.error.message, json.success, json.data],
      ['Invalid API key.', undefined, undefined],
    )
  }
})

test('pages of other sites may upload, without cookies', async () => {
  for (const path of [A, `${A}/`, B]) {
    const {
      status,
      headers,
      text: body,
    } = await app.send('OPTIONS', path, {
      headers: {
        host: cats.hostname,
        origin: 'https://example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key, content-type',
      },
    })
    assert.deepEqual([status, body, headers['access-control-allow-origin']], [204, '', '*'])
    assert.match(String(headers['access-control-allow-methods']), /POST/)
    for (const name of ['x-api-key', 'content-type'])
      assert.ok(String(headers['access-control-allow-headers']).toLowerCase().includes(name))
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
  await set(app, cats, { max_file_size_user: '100' })
  const tooBig = await send({ file: png, headers: { origin: 'https://example.com' } })
  await set(app, cats, { max_file_size_user: '100M' })
  assert.deepEqual([tooBig.status, tooBig.headers['access-control-allow-origin']], [413, '*'])
})
