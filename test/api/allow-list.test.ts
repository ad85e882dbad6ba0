import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { routes } from '../../src/routes.ts'
import { type Asking, askFrom } from '../support/clients/ask-from.ts'
import { freePort, startTestApp, type TestApp } from '../support/harness.ts'
import { runsOf } from '../support/tiers.ts'

/** With key and signature. */
const ask = (
  app: TestApp,
  { method = 'POST', path = '/_/api/4/auth/verify', headers, ...where }: Asking = {},
) =>
  askFrom(app.port, {
    method,
    path,
    ...where,
    headers: { 'x-api-key': app.key, 'x-signature': app.sign(''), ...headers },
  })

const allowList = (list: string, more: Record<string, string> = {}) =>
  startTestApp({ environment: { SERVICE_TENANTS_API_IP_ALLOW_LIST: list, ...more } })

const refusal = {
  status_code: 403,
  error: {
    message: 'This address may not use the management API.',
    code: 403,
    list: ['This address may not use the management API.'],
  },
  status_txt: 'Forbidden',
}

test('without a list every address is allowed', async () => {
  for (const list of ['', '  ']) {
    await using app = await allowList(list)
    assert.equal((await ask(app, { from: '127.0.0.77' })).status, 200)
  }
})

test('IPv4 addresses and ranges allow the clients that they contain', async () => {
  for (const [list, allowed, refused] of [
    ['127.0.0.1', ['127.0.0.1'], ['127.0.0.2']],
    ['127.0.0.2, 127.0.0.9', ['127.0.0.2', '127.0.0.9'], ['127.0.0.1', '127.0.0.3']],
    ['127.0.0.8/30', ['127.0.0.8', '127.0.0.11'], ['127.0.0.7', '127.0.0.12']],
    ['127.1.0.0/16,10.0.0.0/8', ['127.1.2.3'], ['127.0.0.1', '127.2.0.1']],
    ['0.0.0.0/0', ['127.0.0.1', '127.9.9.9'], []],
    ['::ffff:127.0.0.4', ['127.0.0.4'], ['127.0.0.1']],
    ['::ffff:127.0.0.16/124', ['127.0.0.16', '127.0.0.31'], ['127.0.0.15', '127.0.0.32']],
    ['::/0, 2001:db8::/32', [], ['127.0.0.1']],
    ['10.1.2.3', [], ['127.0.0.1']],
  ] as const) {
    await using app = await allowList(list)
    for (const from of allowed) assert.equal((await ask(app, { from })).status, 200, `${list} ${from}`)
    for (const from of refused) {
      const { status, text } = await ask(app, { from })
      assert.deepEqual([status, JSON.parse(text)], [403, refusal], `${list} ${from}`)
    }
  }
})

test('IPv6 addresses and ranges apply, and an IPv4 caller of an IPv6 listener counts as IPv4', async () => {
  for (const [list, status6, status4] of [
    ['::1', 200, 403],
    ['0:0:0:0:0:0:0:1/128', 200, 403],
    ['::/0', 200, 403],
    ['127.0.0.0/8', 403, 200],
    ['::ffff:127.0.0.0/104', 403, 200],
  ] as const) {
    const port = await freePort()
    await using app = await allowList(list, { SERVICE_LISTEN: `[::]:${port}` })
    assert.equal((await ask(app, { from: '::1', to: '::1' })).status, status6, list)
    assert.equal((await ask(app)).status, status4, list)
  }
})

test('a refused client gets the same answer for every route, method and key', async () => {
  await using app = await allowList('10.0.0.0/8')
  const reference = await ask(app)
  assert.deepEqual(JSON.parse(reference.text), refusal)
  const paths = routes.filter(({ path }) => path.startsWith('/_/api/4')).map(({ path }) => path)
  const targets = [
    ...paths,
    '/_/api/4',
    '/_/api/4/',
    '/_/api/4/none',
    '/_/api/4?x',
    '/_/api/4#x',
    '//_///api//4//tenants//',
    '/%5F/api/4/tenants',
    '/_/%61pi/4/tenants',
    '/_/api/%34/tenants',
    '/%5f/%61%70%69/%34/%74enants',
    '/_/api/4/tenants/%ff',
    '/%5f/api/4/%',
    '/_/api/4/%zz',
    `/_/api/4/${'x'.repeat(9_000)}`,
  ]
  for (const path of targets) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']) {
      const answer = await ask(app, { method, path: path.replace('{id}', 'x') })
      assert.deepEqual(answer, reference, `${method} ${path}`)
    }
  }
  assert.deepEqual(await ask(app, { headers: { 'x-api-key': 'wrong', 'x-signature': '' } }), reference)
})

test('the list applies to the management API only', async () => {
  await using app = await allowList('10.0.0.0/8')
  for (const path of ['/_/health/live', '/_/health/ready', '/_/openapi.json', '/_/docs', '/_/metrics']) {
    assert.equal((await ask(app, { method: 'GET', path })).status, 200, path)
  }
  assert.equal((await ask(app, { method: 'GET', path: '/_/api/5/tenants' })).status, 404)
  assert.equal((await ask(app, { method: 'GET', path: '/' })).status, 404)
})

test('headers of an untrusted caller do not change its address', async () => {
  await using app = await allowList('10.0.0.0/8,127.0.0.1', { SERVICE_TRUSTED_PROXIES: '127.0.0.9' })
  const reference = await ask(app, { from: '127.0.0.2' })
  assert.equal(reference.status, 403)
  for (const name of [
    'X-Forwarded-For',
    'Forwarded',
    'X-Real-IP',
    'X_Forwarded_For',
    'Client-IP',
    'CF-Connecting-IP',
  ]) {
    for (const value of ['10.0.0.1', 'for=10.0.0.1', '127.0.0.1', '::ffff:10.0.0.1', '10.0.0.1, 10.0.0.2']) {
      assert.deepEqual(await ask(app, { from: '127.0.0.2', headers: { [name]: value } }), reference)
    }
  }
})

/** `X-Forwarded-For` of a trusted proxy, and what its client gets. */
const forwarded = [
  ['10.0.0.1', 200],
  ['6.6.6.6, 10.0.0.1', 200],
  ['10.0.0.1, 6.6.6.6', 403],
  ['10.0.0.1, 6.6.6.6, 192.0.2.1', 403],
  ['6.6.6.6, 10.0.0.1, 192.0.2.1, 127.0.0.17', 200],
  ['10.0.0.1,10.0.0.2 ,  10.0.0.3', 200],
  ['::ffff:10.0.0.1', 200],
  ['::FFFF:0a00:0001', 200],
  ['2001:DB8:0::1', 200],
  ['2001:db8::1%eth0', 200],
  ['6.6.6.6, 2001:db8::1', 200],
  ['2001:db9::1', 403],
  ['127.0.0.1', 403],
  ['', 403],
  [', ,', 403],
  ['10.0.0.1, unknown', 403],
  ['10.0.0.1, 1.2.2.355', 403],
  ['10.0.0.1, 6.6.6.6:1234', 403],
  ['10.0.0.1.', 403],
  ['010.0.0.1', 403],
  ['10.1', 403],
  ['0x0a000001', 403],
  ['[2001:db8::1]', 200],
  ['[2001:db9::1]', 403],
  ['192.0.2.1', 403],
] as const

describe('behind trusted proxies', () => {
  let app: TestApp
  beforeAll(async () => {
    const proxies = '127.0.0.9,127.0.0.16/28,192.0.2.1'
    app = await allowList('10.0.0.0/8,2001:db8::/32', { SERVICE_TRUSTED_PROXIES: proxies })
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  test('the right-most address of X-Forwarded-For that is no trusted proxy is the client', async () => {
    for (const [value, status] of forwarded) {
      const headers = { 'x-forwarded-for': value }
      assert.equal((await ask(app, { from: '127.0.0.9', headers })).status, status, value)
    }
  })

  test('several X-Forwarded-For headers are read as one list', async () => {
    for (const [values, status] of [
      [['6.6.6.6', '10.0.0.1'], 200],
      [['10.0.0.1', '6.6.6.6'], 403],
    ] as const) {
      const headers = { 'x-forwarded-for': [...values] }
      assert.equal((await ask(app, { from: '127.0.0.20', headers })).status, status)
    }
  })

  test('a trusted proxy without the header and an address that is not trusted are refused', async () => {
    assert.equal((await ask(app, { from: '127.0.0.9' })).status, 403)
    assert.equal(
      (await ask(app, { from: '127.0.0.8', headers: { 'x-forwarded-for': '10.0.0.1' } })).status,
      403,
    )
  })
})

test('an address in a proxy’s header that cannot be read is refused, even if the proxy is allowed', async () => {
  await using app = await allowList('127.0.0.0/8', { SERVICE_TRUSTED_PROXIES: '127.0.0.9' })
  assert.equal((await ask(app, { from: '127.0.0.9' })).status, 200)
  assert.equal((await ask(app, { from: '127.0.0.9', headers: { 'x-forwarded-for': 'unknown' } })).status, 403)
})

/** Headers that other servers believe. */
const names = fc.constantFrom(
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Forwarded-Prefix',
  'X-Forwarded-Server',
  'X_Forwarded_Host',
  'Forwarded',
  'X-Real-IP',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Original-Host',
  'X-Host',
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'Front-End-Https',
  'Via',
  'CF-Connecting-IP',
  'True-Client-IP',
  'X-Client-IP',
  'X-Request-Id',
  'Accept-Version',
  'If-None-Match',
  'If-Modified-Since',
  'Range',
  'Accept-Encoding',
  'Accept-Language',
  'Cookie',
  'Origin',
  'Referer',
  '__proto__',
)
const values = fc.constantFrom(
  'dogs.test',
  'cats.test',
  'localhost',
  '127.0.0.1',
  'https',
  'http',
  '443',
  '/_/api/4/tenants',
  'DELETE',
  'host=dogs.test;proto=https;for=10.0.0.1',
  '*',
  'bytes=0-0',
  '"x"',
  '1.0.0',
  'x',
  '',
)
const sets = fc.uniqueArray(fc.tuple(names, values), { maxLength: 8, selector: ([name]) => name })

const targets: Asking[] = [
  { method: 'GET', path: '/', headers: { host: 'cats.test' } },
  { method: 'GET', path: '/', headers: { host: 'dogs.test' } },
  { method: 'GET', path: '/', headers: { host: 'nobody.test', accept: 'text/html' } },
  { method: 'GET', path: '/_/api/4/tenants', headers: { host: 'cats.test' } },
  { method: 'POST', path: '/_/api/4/auth/verify', headers: { host: 'dogs.test' } },
  { method: 'GET', path: '/_/health/live', headers: { host: 'cats.test' } },
]

test('no header of an untrusted caller changes any answer', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.9' } })
  await app.tenant('cats')
  await app.tenant('dogs')
  await app.call('PATCH', 'tenants/dogs', { is_enabled: false })
  const references = await Promise.all(targets.map((target) => ask(app, target)))
  await fc.assert(
    fc.asyncProperty(fc.nat(targets.length - 1), sets, async (place, set) => {
      const target = targets[place]
      const headers = { ...Object.fromEntries(set), ...target?.headers }
      assert.deepEqual(await ask(app, { ...target, headers }), references[place])
    }),
    { numRuns: runsOf(500) },
  )
})
