import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'vitest'
import { sendRaw, startTestApp, type TestApp } from '../support/harness.ts'

const mebibyte = 1_048_576
const cats = { id: 'cats', hostname: 'cats.test', is_enabled: true }

const post = (app: TestApp, bytes: string | Buffer, headers: Record<string, string> = {}) =>
  app.send('POST', '/_/api/4/tenants', {
    bytes,
    headers: {
      'x-api-key': app.key,
      'x-signature': app.sign(bytes),
      'content-type': 'application/json',
      ...headers,
    },
  })

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

/** The tenant, made as long as that by white space. */
const padded = (length: number) => JSON.stringify(cats).padEnd(length, ' ')

test('what is not a JSON object with one meaning is refused, and nothing is made', async () => {
  await using app = await startTestApp()
  const rest = '"hostname":"cats.test","is_enabled":true'
  const bad: (string | Buffer)[] = [
    '[]',
    'null',
    'true',
    '0',
    '"x"',
    '[{}]',
    ' ',
    '\n',
    'id=cats',
    '<x/>',
    '{',
    '}',
    '{}{}',
    '{}x',
    '{} {}',
    "{'id':'cats'}",
    '{id:"cats"}',
    '{"id":"cats",}',
    '{,}',
    '{"id"}',
    '{"id":}',
    '{"id":"cats"',
    '{"id":"ca',
    '{"id":"a\nb"}',
    '{"id":"a\tb"}',
    '{"id":"\\x41"}',
    '{"id":"\\u12"}',
    '{"id":"\\ud800"}',
    '{"id":"\\udc00\\ud800"}',
    '{"id":+1}',
    '{"id":01}',
    '{"id":1.}',
    '{"id":.5}',
    '{"id":0x10}',
    '{"id":NaN}',
    '{"id":Infinity}',
    '{"id":1e999}',
    '{"id":undefined}',
    '{"id":True}',
    '{"id":nul}',
    '{"id":"cats"/**/}',
    '// x\n{}',
    '{"id":"cats"}\0',
    '\0{}',
    // A key that is given twice
    `{"id":"cats","id":"cats",${rest}}`,
    `{"id":"cats","id":"dogs",${rest}}`,
    `{"id":"cats","\\u0069d":"dogs",${rest}}`,
    `{"id":"cats","i\\u0064":"cats",${rest}}`,
    `{"id":"cats",${rest},"limits":{"A":"1","A":"1"}}`,
    `{"id":"cats",${rest},"env":{"A":"1","\\u0041":"2"}}`,
    `{"id":"cats",${rest},"limits":{},"limits":{}}`,
    `{"id":"cats",${rest},"__proto__":1,"__proto__":2}`,
    `{"id":"cats",${rest},"env":{"":"","":""}}`,
    // Too deep
    `{"id":${'['.repeat(8)}${']'.repeat(8)}}`,
    `{"id":${'{"a":'.repeat(100_000)}`,
    '['.repeat(200_000),
    // Not UTF-8
    bytes([0xef, 0xbb, 0xbf], JSON.stringify(cats)),
    Buffer.from(`\ufeff${JSON.stringify(cats)}`, 'utf16le'),
    Buffer.from(JSON.stringify(cats), 'utf16le'),
    ...[
      [0xff],
      [0xc0, 0xaf],
      [0xc3],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe0, 0x80, 0xaf],
      [0x80],
    ].map((odd) => bytes('{"id":"cats","hostname":"cats.test","is_enabled":true,"env":{"A":"', odd, '"}}')),
  ]
  for (const body of bad) {
    const { status, json } = await post(app, body)
    const shown = body.toString().slice(0, 80)
    assert.equal(status, 400, shown)
    assert.deepEqual([json.status_code, json.error.code, json.status_txt], [400, 400, 'Bad Request'], shown)
    assert.ok(json.error.list.length > 0 && json.error.message.length < 2_000)
  }
  assert.deepEqual((await app.call('GET', 'tenants')).json, [])
})

test('white space, escapes and any depth that is allowed are read', async () => {
  await using app = await startTestApp()
  const body = '\r\n\t {\n"\\u0069d" : "\\u0063ats",\t"hostname":"cats.test" , "is_enabled"\r:true}\n '
  assert.equal((await post(app, body)).status, 201)
  const { json } = await post(app, `{"id":${'['.repeat(7)}${']'.repeat(7)}}`)
  assert.ok(json.error.list.includes('id: must be a string'))
})

test('a body is required where there is one to give', async () => {
  await using app = await startTestApp()
  await app.call('POST', 'tenants', cats)
  for (const [method, path] of [
    ['POST', 'tenants'],
    ['PATCH', 'tenants/cats'],
    ['POST', 'tenants/cats/install'],
    ['PATCH', 'tenants/cats/user-password-reset'],
    ['POST', 'tenants-plans'],
    ['PATCH', 'tenants-plans/none'],
  ] as const) {
    assert.equal((await app.call(method, path)).status, 400, `${method} ${path}`)
    assert.equal((await app.call(method, path, {})).status, 400, `${method} ${path}`)
  }
  assert.equal((await app.call('DELETE', 'tenants/cats', {})).status, 204)
})

test('the content type must say JSON in UTF-8, and no encoding', async () => {
  await using app = await startTestApp()
  const send = async (headers: Record<string, string>) => (await post(app, '{}', headers)).status
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset=utf-8',
    'application/json; q=1',
    'application/json;',
  ]) {
    assert.equal(await send({ 'content-type': type }), 400, type)
  }
  for (const type of [
    'text/json',
    'text/plain',
    'application/jsonp',
    'application/json+x',
    'application/vnd.api+json',
    'json',
    'x',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '*/*',
    '',
    'application',
    '/',
    ';',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'x application/json',
  ]) {
    assert.equal(await send({ 'content-type': type }), 415, type)
  }
  for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x', 'utf-8']) {
    assert.equal(await send({ 'content-encoding': encoding }), 415, encoding)
  }
  for (const encoding of ['identity', 'Identity'])
    assert.equal(await send({ 'content-encoding': encoding }), 400)
  const none = { 'x-api-key': app.key, 'x-signature': app.sign('{}') }
  const { status, json } = await app.send('POST', '/_/api/4/tenants', { bytes: '{}', headers: none })
  assert.deepEqual([status, json.error.code, json.status_txt], [415, 415, 'Unsupported Media Type'])
})

test('a body of 1 MiB is read, and one byte more is not, with a length or in chunks', async () => {
  await using app = await startTestApp()
  for (const isChunked of [false, true]) {
    const send = (text: string) => (isChunked ? sendChunks(app, text) : post(app, text))
    const over = await send(padded(mebibyte + 1))
    assert.equal(over.status, 413)
    assert.deepEqual((await app.call('GET', 'tenants')).json, [])
    assert.equal((await send(padded(mebibyte))).status, 201)
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.equal((await send(padded(20 * mebibyte))).status, 413)
  }
  const { json } = await post(app, padded(mebibyte + 1))
  assert.deepEqual([json.error.code, json.status_txt], [413, 'Payload Too Large'])
  assert.match(json.error.message, /1048576/)
})

test('a body that is announced too large is refused before it is sent', async () => {
  await using app = await startTestApp()
  const head = (length: string) =>
    `POST /_/api/4/tenants HTTP/1.1\r\nHost: a\r\nX-API-Key: ${app.key}\r\nContent-Length: ${length}\r\n\r\n`
  for (const length of ['1048577', '99999999999', String(Number.MAX_SAFE_INTEGER)]) {
    assert.match(await firstAnswer(app, head(length)), /^HTTP\/1\.1 413 .*"code":413/s)
  }
  for (const length of ['99999999999999999999999', '-1', '1e3', '0x10', ' ', '1, 2']) {
    assert.match(await firstAnswer(app, head(length)), /^HTTP\/1\.1 400 .*"code":400/s, length)
  }
})

test('who sends a large body in one go still reads the answer, and exactly one', async () => {
  // Connections that are kept open after a short body end soon.
  await using app = await startTestApp({ environment: { SERVICE_KEEP_ALIVE_SECONDS: '1' } })
  const inside = 'GET /_/health/live HTTP/1.1\r\nHost: a\r\n\r\n'
  const lines = [
    ['POST /_/api/4/tenants', 401],
    ['POST /_/none', 404],
    ['PUT /_/api/4/tenants', 405],
    ['POST /', 404],
    ['GET /_/api/4/tenants/%ff', 400],
  ] as const
  const check = async (line: string, status: number, length: number) => {
    const body = inside.repeat(Math.ceil(length / inside.length))
    const head = `${line} HTTP/1.1\r\nHost: nobody.test\r\nContent-Length: ${body.length}\r\n\r\n`
    const text = await sendRaw(app.port, `${head}${body}`)
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`], `${line} ${length}`)
    assert.ok(text.includes(`"code":${status}`))
  }
  for (const length of [100, 900_000, 8_000_000])
    await Promise.all(lines.map(([line, status]) => check(line, status, length)))
})

test('a body that breaks off changes nothing and is not logged as a bug', async () => {
  await using app = await startTestApp()
  const body = JSON.stringify(cats)
  const keys = `X-API-Key: ${app.key}\r\nX-Signature: ${app.sign(body)}\r\nContent-Type: application/json\r\n`
  for (const [framing, part] of [
    [`Content-Length: ${body.length}`, body.slice(0, -1)],
    [`Content-Length: ${body.length}`, ''],
    ['Transfer-Encoding: chunked', `${(body.length).toString(16)}\r\n${body}\r\n`],
    ['Transfer-Encoding: chunked', `${(body.length).toString(16)}\r\n${body}\r\n0\r\n`],
  ]) {
    const socket = connect(app.port, '127.0.0.1')
    socket.write(`POST /_/api/4/tenants HTTP/1.1\r\nHost: a\r\n${keys}${framing}\r\n\r\n${part}`)
    await wait(50)
    socket.destroy()
    await once(socket, 'close')
  }
  const faulty = `POST /_/api/4/tenants HTTP/1.1\r\nHost: a\r\n${keys}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`
  assert.deepEqual((await sendRaw(app.port, faulty)).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400'])
  assert.deepEqual((await app.call('GET', 'tenants')).json, [])
  assert.ok(!/status="5\d\d"/.test((await app.send('GET', '/_/metrics')).text))
})

test('a caller that waits for 100 Continue gets it', async () => {
  await using app = await startTestApp()
  const body = JSON.stringify(cats)
  const outgoing = request({
    port: app.port,
    method: 'POST',
    path: '/_/api/4/tenants',
    agent: false,
    headers: {
      'x-api-key': app.key,
      'x-signature': app.sign(body),
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  incoming.resume()
  assert.equal(incoming.statusCode, 201)
})

async function sendChunks(app: TestApp, text: string): Promise<{ status: number | undefined }> {
  const outgoing = request({
    port: app.port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/_/api/4/tenants',
    agent: false,
    headers: {
      'x-api-key': app.key,
      'x-signature': app.sign(text),
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    },
  })
  const answered = once(outgoing, 'response')
  // Who is answered before the end of what is being sent may find nobody who takes the rest.
  outgoing.on('error', () => undefined)
  for (let at = 0; at < text.length; at += 60_000) outgoing.write(text.slice(at, at + 60_000))
  outgoing.end()
  const [incoming] = await answered
  incoming.resume()
  await once(incoming, 'end')
  return { status: incoming.statusCode }
}

/** What comes at once, without waiting for the end of the connection. */
async function firstAnswer(app: TestApp, head: string): Promise<string> {
  const socket = connect(app.port, '127.0.0.1')
  socket.write(head)
  const [chunk] = await once(socket, 'data')
  socket.destroy()
  return String(chunk)
}
