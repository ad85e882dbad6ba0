import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { normaliseHostname } from '../../src/lib/net/hosts.ts'
import { collidingHostnames, hostileHostnames } from '../support/fixtures/colliding-hostnames.ts'
import { onEachStore, sendRaw, startTestApp, type TestApp } from '../support/harness.ts'
import { startStopwatch } from '../support/stopwatch.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({
    environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.9', SERVICE_TRUST_FORWARDED_HOST: '1' },
  })
  await app.tenant('cats')
  await app.tenant('dogs')
  await app.call('POST', 'tenants', { id: 'umlaut', hostname: 'b\u00fccher.test', is_enabled: true })
})
afterAll(() => app[Symbol.asyncDispose]())

/** The lines of a request, ended and with the connection closed behind it. */
const raw = (...lines: string[]) =>
  sendRaw(app.port, `${[...lines, 'Connection: close', '', ''].join('\r\n')}`)

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])

function assertRefused(text: string, status: number, what = ''): void {
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`], `${what}\n${text}`)
  const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
  assert.deepEqual([body.status_code, body.error.code], [status, status], `${what}\n${text}`)
  assert.match(text, /\r\ncache-control: no-store\r\n/i)
  assert.match(text, /\r\nx-content-type-options: nosniff\r\n/i)
}

test('a request has one Host, on a site and on the control plane', async () => {
  for (const path of ['/', '/_/health/live', '/_/api/4/tenants', '/_/api/4/tenants/%ff', '/_/none']) {
    for (const version of ['1.1', '1.0']) {
      const line = `GET ${path} HTTP/${version}`
      assertRefused(await raw(line), 400)
      assertRefused(await raw(line, 'Host:'), 400)
      assertRefused(await raw(line, 'Host: cats.test', 'Host: cats.test'), 400)
      assertRefused(await raw(line, 'Host: cats.test', 'X-A: b', 'hOST: dogs.test'), 400)
    }
  }
  assert.equal(statusOf(await raw('GET / HTTP/1.1', 'Host: cats.test')), 200)
  assert.equal(statusOf(await raw('GET / HTTP/1.0', 'Host: cats.test')), 200)
})

test('a Host that is no host is malformed', async () => {
  for (const host of [
    'a b',
    'a@cats.test',
    'user:pw@cats.test',
    'http://cats.test',
    'cats.test/',
    '/',
    '//cats.test',
    'cats.test?x',
    'cats.test#x',
    'cats.test:',
    'cats.test:80:80',
    'cats.test:x',
    'cats.test:-1',
    'cats.test:0',
    'cats.test:65536',
    'cats.test:080',
    'cats.test: 80',
    'cats.test, dogs.test',
    'cats.test,dogs.test',
    'cats.test;dogs.test',
    'cats..test',
    '.cats.test',
    'cats.test..',
    '.',
    '..',
    ':80',
    '*',
    '*.test',
    '-',
    '-a.test',
    'a-.test',
    'a_b.test',
    'cats.test\\',
    'cats`test',
    "cats'test",
    'cats"test',
    'cats(test)',
    'cats|test',
    '[::1',
    '::1]',
    '[::1]x',
    '[::1%lo]',
    '[cats.test]',
    '[]',
    '::1',
    '[1.2.3.4]',
    '256.1.1.1',
    '1.2.3',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '%63ats.test',
    'cats%2etest',
    'cats.test%00',
    'a\u0001b',
    'xn--',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(127)}test`,
    'x'.repeat(5_000),
    'cats.test\u00a0',
    '$cats.test',
    '{cats.test}',
    '<cats.test>',
    'cats.test!',
    'a=b',
  ]) {
    const isPortEmpty = host === 'cats.test:'
    const text = await sendRaw(
      app.port,
      Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1'),
    )
    // RFC 3986 allows a colon without a port after it.
    if (isPortEmpty) assert.equal(statusOf(text), 200)
    else assertRefused(text, 400, host)
  }
})

test('a tenant is found under every spelling of its host', async () => {
  for (const host of [
    'cats.test',
    'CATS.TEST',
    'Cats.Test.',
    'cats.test:80',
    'cats.test.:8080',
    '  cats.test\t',
  ])
    assert.equal(statusOf(await raw('GET / HTTP/1.1', `Host: ${host}`)), 200, host)
  const utf8 = Buffer.from('b\u00fccher.test').toString('latin1')
  for (const host of ['xn--bcher-kva.test', 'XN--BCHER-KVA.test:1', utf8]) {
    const bytes = Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1')
    assert.equal(statusOf(await sendRaw(app.port, bytes)), 503, host)
  }
  for (const host of [
    'at.test',
    'cats.tes',
    'x.cats.test',
    'cats',
    'test',
    '127.0.0.1',
    '[::1]',
    'localhost',
  ])
    assert.equal(statusOf(await raw('GET / HTTP/1.1', `Host: ${host}`)), 404, host)
})

test('a target in absolute form names the same host as Host, or is misdirected', async () => {
  for (const target of [
    'http://cats.test/',
    'HTTP://CATS.TEST/',
    'https://cats.test./',
    'http://cats.test:81/',
    'http://cats.test',
  ])
    assert.equal(statusOf(await raw(`GET ${target} HTTP/1.1`, 'Host: cats.test')), 200, target)
  assert.equal(statusOf(await raw('GET http://cats.test?x=1 HTTP/1.1', 'Host: cats.test')), 200)
  assert.equal(statusOf(await raw('GET http://cats.test/_/health/live HTTP/1.1', 'Host: cats.test')), 200)
  for (const target of [
    'http://dogs.test/',
    'http://dogs.test',
    'http://cats.test.evil.test/',
    'http://cats.test@dogs.test/',
    'http://dogs.test@cats.test/',
    'http://x@cats.test/',
    'http:///',
    'http:////cats.test/',
    'http://dogs.test/_/api/4/tenants',
    'http://cats.test%2f/',
    'http://*/',
  ]) {
    const text = await raw(`GET ${target} HTTP/1.1`, 'Host: cats.test')
    // Some of these are no targets at all to the parser.
    assertRefused(text, statusOf(text) === 400 ? 400 : 421, target)
  }
  assertRefused(await raw('GET http://dogs.test/ HTTP/1.1', 'Host: cats.test'), 421)
  assertRefused(await raw('GET http://dogs.test/%ff HTTP/1.1', 'Host: cats.test'), 421)
  assertRefused(await raw('GET http://cats.test/ HTTP/1.1'), 400)
  assertRefused(await raw('GET http://cats.test/ HTTP/1.0'), 400)
  for (const target of ['ftp://cats.test/', 'cats.test/', 'file:///etc/passwd', '?x', '#x', '\\'])
    assertRefused(await raw(`GET ${target} HTTP/1.1`, 'Host: cats.test'), 400, target)
})

async function titleFor(from: string, headers: Record<string, string | string[]>): Promise<string> {
  const options = { port: app.port, host: '127.0.0.1', localAddress: from, headers, agent: false }
  const outgoing = request(options).end()
  const [incoming] = await once(outgoing, 'response')
  const text = (await incoming.toArray()).join('')
  return /<h1>(.*)<\/h1>/.exec(text)?.[1] ?? String(incoming.statusCode)
}

test('another host counts only when a trusted proxy names it', async () => {
  const host = 'cats.test'
  for (const [headers, trusted] of [
    [{ 'x-forwarded-host': 'dogs.test' }, 'dogs.test'],
    [{ 'x-forwarded-host': 'DOGS.test.:443' }, 'dogs.test'],
    [{ 'x-forwarded-host': 'nobody.test' }, '404'],
    [{ 'x-forwarded-host': 'dogs.test, cats.test' }, 'cats.test'],
    [{ 'x-forwarded-host': 'cats.test,dogs.test:443' }, 'dogs.test'],
    [{ 'x-forwarded-host': 'nobody.test, dogs.test' }, 'dogs.test'],
    [{ 'x-forwarded-host': 'dogs.test, nobody.test' }, '404'],
    [{ 'x-forwarded-host': 'dogs.test, a b' }, 'cats.test'],
    [{ 'x-forwarded-host': 'a b' }, 'cats.test'],
    [{ 'x-forwarded-host': '' }, 'cats.test'],
    [{ x_forwarded_host: 'dogs.test' }, 'cats.test'],
    [{ forwarded: 'host=dogs.test' }, 'cats.test'],
    [{ 'x-original-host': 'dogs.test', 'x-host': 'dogs.test' }, 'cats.test'],
    [{ 'x-original-url': '/none', 'x-rewrite-url': '/none' }, 'cats.test'],
  ] as const) {
    assert.equal(await titleFor('127.0.0.9', { host, ...headers }), trusted, JSON.stringify(headers))
    assert.equal(await titleFor('127.0.0.1', { host, ...headers }), 'cats.test', JSON.stringify(headers))
    assert.equal(await titleFor('127.0.0.8', { host, ...headers }), 'cats.test', JSON.stringify(headers))
  }
  assert.equal(await titleFor('127.0.0.9', { host: 'a b', 'x-forwarded-host': 'dogs.test' }), '400')
})

test('a request that two readers could cut differently is refused, and the connection closed', async () => {
  const inner = 'GET /_/health/live HTTP/1.1\r\nHost: cats.test\r\n\r\n'
  const post = (...lines: string[]) =>
    ['POST /_/health/live HTTP/1.1', 'Host: cats.test', ...lines].join('\r\n')
  for (const bytes of [
    post('Content-Length: 5', 'Transfer-Encoding: chunked', '', `0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked', 'Content-Length: 5', '', `0\r\n\r\n${inner}`),
    post('Content-Length: 5', 'Content-Length: 6', '', `12345${inner}`),
    post('Content-Length: 5, 6', '', `12345${inner}`),
    post('Content-Length: +5', '', `12345${inner}`),
    post('Content-Length: 5 5', '', `12345${inner}`),
    post('Content-Length:', '', inner),
    post('Transfer-Encoding: xchunked', '', `0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked, identity', '', `0\r\n\r\n${inner}`),
    post('Transfer-Encoding: identity', 'Content-Length: 5', '', `12345${inner}`),
    post('Transfer-Encoding : chunked', '', `0\r\n\r\n${inner}`),
    post(' Transfer-Encoding: chunked', '', `0\r\n\r\n${inner}`),
    post('X: a', '\tTransfer-Encoding: chunked', '', `0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked', '', `5;\nx\r\n12345\r\n0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked', '', `-1\r\n12345\r\n0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked', '', `0x5\r\n12345\r\n0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked', '', `5\n12345\r\n0\r\n\r\n${inner}`),
    post('Transfer-Encoding: chunked', '', `5\r\n123456\r\n0\r\n\r\n${inner}`),
    'GET /_/health/live HTTP/1.1\nHost: cats.test\n\n',
    'GET /_/health/live HTTP/1.1\r\nHost: cats.test\rX: y\r\n\r\n',
    'GET /_/health/live HTTP/1.1\r\nHost: cats.test\r\nX\0: y\r\n\r\n',
    'GET /_/health/live HTTP/1.1\r\nHost: cats.test\r\nX: a\0b\r\n\r\n',
    'GET /_/health/live HTTP/1.1\r\nHost: cats.test\r\nno colon\r\n\r\n',
    'GET /_/health/live HTTP/1.1\r\nHost: cats.test\r\n: x\r\n\r\n',
    'GET /_/health/live\r\nHost: cats.test\r\n\r\n',
    'GET /_/health/live HTTP/9.9\r\nHost: cats.test\r\n\r\n',
    'GET /_/health/live http/1.1\r\nHost: cats.test\r\n\r\n',
    'GET /_/he\0alth/live HTTP/1.1\r\nHost: cats.test\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03',
    'nonsense\r\n\r\n',
  ]) {
    const text = await sendRaw(app.port, bytes)
    // What comes before the fault may have been answered; nothing behind it ever is.
    const statuses = text.match(/HTTP\/1\.1 \d+/g)?.map((status) => Number(status.slice(9))) ?? []
    assert.ok(statuses.includes(400) || statuses.includes(405), `${bytes}\n${text}`)
    assert.ok(!statuses.includes(200), `${bytes}\n${text}`)
    assert.ok(statuses.length === 1, `${bytes}\n${text}`)
  }
  assert.equal((await app.send('GET', '/_/health/live')).status, 200)
})

test('requests one after the other on a connection are answered in order', async () => {
  const text = await raw(
    'GET /_/health/live HTTP/1.1',
    'Host: a',
    '',
    'POST /_/api/4/tenants HTTP/1.1',
    'Host: a',
    'Content-Length: 3',
    '',
    'abcGET /_/health/ready HTTP/1.1',
    'Host: a',
  )
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200'])
  const faulty = await sendRaw(app.port, 'GET /_/health/live HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n')
  assert.ok(!faulty.includes('HTTP/1.1 200') || faulty.indexOf('HTTP/1.1 200') === 0)
})

test('headers that are too large or too many are refused', async () => {
  const line = 'GET /_/health/live HTTP/1.1'
  assertRefused(await raw(line, 'Host: a', `X: ${'x'.repeat(20_000)}`), 431)
  assertRefused(await raw(line, 'Host: a', `${'x'.repeat(20_000)}: x`), 431)
  assertRefused(await raw(line, `Host: ${'x'.repeat(20_000)}`), 431)
  const many = (count: number) => Array.from({ length: count }, (_, place) => `X-${place}: x`)
  assert.equal(statusOf(await raw(line, 'Host: a', ...many(98))), 200)
  for (const count of [99, 500, 990, 2_500]) assertRefused(await raw(line, 'Host: a', ...many(count)), 431)
  const short = Array.from({ length: 995 }, () => 'a:')
  assertRefused(
    await raw('GET /_/tls/ask?domain=cats.test HTTP/1.1', 'Host: localhost', ...short, 'Via: x'),
    431,
  )
})

test('who never ends its headers is not waited for', async () => {
  using watch = startStopwatch()
  const texts = await Promise.all(
    ['', 'GET', 'GET / HTTP/1.1\r\nHost: cats.test\r\nX: y'].map(async (bytes) => {
      const socket = connect(app.port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      if (bytes) socket.write(bytes)
      await once(socket, 'close')
      return text
    }),
  )
  assert.ok(watch.ms() < 30_000)
  assertRefused(texts[2] ?? '', 408)
})

onEachStore('hostnames', (store) => {
  test('two spellings of one hostname are never two tenants', async () => {
    await using fresh = await startTestApp({ store })
    for (const [place, [first, second]] of collidingHostnames.entries()) {
      const create = (id: string, hostname: string) =>
        fresh.call('POST', 'tenants', { id, hostname, is_enabled: true })
      const { status, json } = await create(`t${place}`, first)
      assert.deepEqual([status, json.hostname], [201, normaliseHostname(first)], first)
      assert.equal((await create('second', second)).status, 409, second)
      await create('third', 'third.test')
      assert.equal((await fresh.call('PATCH', 'tenants/third', { hostname: second })).status, 409, second)
      assert.equal((await fresh.call('PATCH', `tenants/t${place}`, { hostname: second })).status, 204, second)
    }
    const names = (await fresh.call('GET', 'tenants')).json.map(
      (tenant: { hostname: string }) => tenant.hostname,
    )
    assert.equal(new Set(names).size, collidingHostnames.length + 1)
    assert.ok(names.every((name: string) => /^[a-z0-9.-]+$/.test(name)))
  })

  test('a hostile hostname is refused and never reaches a rule', async () => {
    await using fresh = await startTestApp({ store })
    await fresh.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    const proxy = async () =>
      (await fresh.send('GET', '/_/api/4/config/proxy', { headers: { 'x-api-key': fresh.key } })).text
    const before = await proxy()
    for (const hostname of hostileHostnames) {
      const created = await fresh.call('POST', 'tenants', { id: 'evil', hostname, is_enabled: true })
      assert.equal(created.status, 400, hostname)
      assert.equal((await fresh.call('PATCH', 'tenants/cats', { hostname })).status, 400, hostname)
    }
    assert.equal(await proxy(), before)
    assert.equal(
      (await fresh.call('POST', 'tenants', { id: 'local', hostname: 'localhost', is_enabled: true })).status,
      201,
    )
  })
})
