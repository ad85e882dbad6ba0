import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { Check } from 'typebox/value'
import { beforeAll, describe, test } from 'vitest'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { routes } from '../../src/routes.ts'
import { type Answer, type Call, sendRaw, startTestApp, type TestApp } from '../support/harness.ts'

const json = { 'content-type': 'application/json' }
const pathOf = (path: string, id = 'nobody') => path.replace('{id}', id)
const allowed = new Map<string, Set<string>>()
for (const { method, path } of routes) {
  const more = method === 'GET' ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
  allowed.set(path, new Set([...(allowed.get(path) ?? []), method, ...more]))
}
const allowOf = (path: string) => [...(allowed.get(path) ?? [])].sort().join(', ')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  return () => app[Symbol.asyncDispose]()
})

const needsBody = ({ body }: Endpoint) => body !== undefined && !Check(body, {})

/** Everything that a caller sees, but for the time. */
const seen = ({ status, headers: { date: _, ...headers }, text }: Answer) => ({ status, headers, text })

describe.for(routes.filter(({ endpoint }) => endpoint.access === 'signed'))(
  '$method $path',
  ({ method, path, endpoint }) => {
    const send = (call: Call, id?: string) => app.send(method, pathOf(path, id), call)
    const broken = '{"broken'
    const signedFor = (bytes: string) => ({ 'x-api-key': app.key, 'x-signature': app.sign(bytes) })

    test('asks for the key, then the signature, then the type, then the body', async () => {
      const noKey = await send({ bytes: broken, headers: { 'x-signature': app.sign(broken) } })
      const noSignature = await send({ bytes: broken, headers: { 'x-api-key': app.key } })
      const wrongSignature = await send({ bytes: broken, headers: { ...signedFor(''), ...json } })
      const nothing = await send({})
      assert.equal(nothing.status, 401)
      for (const answer of [noKey, noSignature, wrongSignature])
        assert.deepEqual([answer.status, answer.text], [401, nothing.text])

      for (const type of [undefined, 'text/plain', 'json', '', ';;;', 'application/json; charset=latin1']) {
        const headers = { ...signedFor(broken), ...(type === undefined ? {} : { 'content-type': type }) }
        assert.equal((await send({ bytes: broken, headers })).status, 415, String(type))
        assert.equal((await send({ bytes: broken, headers: { ...headers, ...signedFor('') } })).status, 401)
      }
      assert.equal((await send({ bytes: broken, headers: { ...signedFor(broken), ...json } })).status, 400)
    })

    test('refuses a bad body before it looks for what the address names', async () => {
      for (const body of ['[]', '{"no_such_field":1}', '{"a":1,"a":1}', '{"limits":{"a":null}}']) {
        const { status } = await send({ bytes: body, headers: { ...signedFor(body), ...json } })
        assert.equal(status, 400, body)
      }
    })

    test('reads no type where there is no body', async () => {
      const headers = { ...signedFor(''), 'content-type': 'json', 'content-encoding': 'gzip' }
      const { status } = await send({ headers })
      assert.equal(status, (await send({ headers: signedFor('') })).status)
      assert.ok(![401, 415].includes(status))
      if (needsBody(endpoint)) assert.equal(status, 400)
    })

    test('takes a signed body with a GET, when there is nothing in it', async () => {
      if (method !== 'GET') return
      const plain = await send({ headers: signedFor('') })
      const empty = await send({ bytes: '{}', headers: { ...signedFor('{}'), ...json } })
      assert.deepEqual([empty.status, empty.text], [plain.status, plain.text])
      assert.equal((await send({ bytes: '{}', headers: { ...signedFor(''), ...json } })).status, 401)
    })
  },
)

test('the local addresses ask where the caller is before they ask for its key', async () => {
  const abroad = { host: 'cats.test' }
  for (const { method, path, endpoint } of routes.filter(({ endpoint: { access } }) =>
    access.startsWith('local'),
  )) {
    const { status } = await app.send(method, path, { headers: abroad })
    assert.equal(status, endpoint.access === 'local-or-key' ? 401 : 403, path)
  }
})

test.for([...allowed.keys()])('%s says which methods it accepts', async (path) => {
  const target = pathOf(path)
  for (const method of METHODS) {
    // A tunnel is not a request, see below.
    if (allowed.get(path)?.has(method) || method === 'CONNECT') continue
    const { status, headers, json: body } = await app.send(method, target)
    assert.deepEqual([status, headers.allow], [405, allowOf(path)], method)
    if (method !== 'HEAD') assert.equal(body.error.code, 405)
    const withBody = await app.send(method, target, { bytes: 'x', headers: { 'content-type': 'x' } })
    assert.equal(withBody.status, 405, method)
  }
  const options = await app.send('OPTIONS', target)
  assert.deepEqual([options.status, options.text, options.headers.allow], [204, '', allowOf(path)])
})

test.for(routes.filter(({ method }) => method === 'GET'))(
  'HEAD answers $path like GET, without a body',
  async (route) => {
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    await app.call('POST', 'tenants-plans', { id: 'cats' })
    const headers = { 'x-api-key': app.key, 'x-signature': app.sign('') }
    for (const path of [pathOf(route.path, 'cats'), pathOf(route.path), `${route.path}?domain=cats.test`]) {
      for (const call of [{ headers }, {}, { headers: { ...headers, host: 'cats.test' } }]) {
        const [get, head] = [await app.send('GET', path, call), await app.send('HEAD', path, call)]
        assert.equal(head.text, '')
        const isSteady = route.path !== '/_/metrics'
        if (isSteady) assert.deepEqual(seen({ ...head, text: get.text }), seen(get))
        else assert.equal(head.status, get.status)
      }
    }
  },
)

test('an address that is not there is 404 for every method, key or no key', async () => {
  for (const path of [
    '/_',
    '/_/',
    '/_/api',
    '/_/api/4',
    '/_/api/4/',
    '/_/api/3/tenants',
    '/_/api/4/tenant',
    '/_/api/4/TENANTS',
    '/_/api/4/tenants/a/b',
    '/_/api/4/tenants/a/install/x',
    '/_/none',
    '/_/api/4/../4/tenants',
    '/_/api/4/./tenants',
    '/_/openapi_json',
    '/_/api/4/tenants;x',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      assert.equal((await app.send(method, path)).status, 404, `${method} ${path}`)
    }
    assert.equal((await app.call('GET', `../..${path}`)).status, 404)
  }
})

test('slashes and query strings change nothing', async () => {
  const headers = { 'x-api-key': app.key, 'x-signature': app.sign('') }
  const get = (path: string) => app.send('GET', path, { headers })
  const expected = seen(await get('/_/api/4/tenants'))
  assert.equal(expected.status, 200)
  for (const path of [
    '/_/api/4/tenants/',
    '/_/api/4/tenants//',
    '//_/api/4/tenants',
    '/_//api///4/tenants',
    '///_///api/4//tenants///',
    '/_/api/4/tenants?',
    '/_/api/4/tenants?a=1&a=2',
    '/_/api/4/tenants/?x=/_/none',
    '/_/api/4/tenants?%ff=%',
    '/_/api/4/tenants#x',
    '/_/api/4/tenants?__proto__[polluted]=1&constructor[prototype][polluted]=1',
    '/%5F/%61pi/4/t%65nants',
  ]) {
    assert.deepEqual(seen(await get(path)), expected, path)
    assert.equal((await app.send('GET', path)).status, 401, path)
    assert.equal((await app.send('PUT', path)).headers.allow, 'GET, HEAD, OPTIONS, POST', path)
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

test('an id may be escaped in the address, and means the same', async () => {
  await app.call('POST', 'tenants', { id: 'a-b_C', hostname: 'abc.test', is_enabled: true })
  const { json: tenant } = await app.call('GET', 'tenants/a-b_C')
  for (const id of ['a%2Db%5FC', '%61-b_C', '%61%2d%62%5f%43']) {
    assert.deepEqual((await app.call('GET', `tenants/${id}`)).json, tenant)
    assert.equal((await app.call('GET', `tenants/${id}/effective`)).status, 200)
  }
  for (const id of [
    'a-b_C%00',
    'a-b_C%20',
    'a-b_C%2F',
    '%2e%2e',
    '%2E',
    'a-b_C%252D',
    'a-b_c',
    '%C3%A9',
    'x'.repeat(8_000),
  ]) {
    assert.equal((await app.call('GET', `tenants/${id}`)).status, 404, id)
    assert.equal((await app.send('GET', `/_/api/4/tenants/${id}`)).status, 401, id)
  }
})

test('a badly escaped address is a malformed request, on the control plane and on a site', async () => {
  for (const path of [
    '/_/api/4/tenants/%ff',
    '/_/api/4/tenants/%',
    '/_/api/4/tenants/%zz',
    '/_/%c3',
    '/%e0%a4%a',
    '/%80',
  ]) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, headers, json: body } = await app.send(method, path)
      assert.equal(status, 400, path)
      assert.deepEqual([body.status_code, body.error.code, body.status_txt], [400, 400, 'Bad Request'])
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
    assert.equal((await app.send('GET', path, { headers: { host: 'a b' } })).status, 400)
  }
})

test('an address that is too long is refused, and the next request is answered', async () => {
  const { status, json: body } = await app.send('GET', `/_/api/4/tenants/${'x'.repeat(20_000)}`)
  assert.deepEqual([status, body.error.code], [431, 431])
  assert.equal((await app.send('GET', '/_/health/live')).status, 200)
})

test('what is no request of ours is refused plainly', async () => {
  const first = async (bytes: string) => (await sendRaw(app.port, bytes)).split('\r\n', 1)[0]
  const tail = ' HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'
  const connect = await sendRaw(app.port, `CONNECT a.test:443${tail}`)
  assert.match(connect, /^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD, OPTIONS\r\n/s)
  assert.equal(await first(`OPTIONS *${tail}`), 'HTTP/1.1 204 No Content')
  for (const line of [
    'get /_/health/live',
    'NONSENSE /',
    'GET',
    'GET _/health/live',
    'GET *',
    'GET ftp://a.test/',
  ]) {
    assert.equal(await first(`${line}${tail}`), 'HTTP/1.1 400 Bad Request', line)
  }
})

test('a site takes only what it has a use for', async () => {
  await app.tenant('site')
  const headers = { host: 'site.test' }
  for (const method of METHODS) {
    if (method === 'CONNECT') continue
    const { status, headers: sent } = await app.send(method, '/', { headers })
    const isRead = method === 'GET' || method === 'HEAD'
    assert.equal(status, isRead ? 200 : method === 'OPTIONS' ? 204 : 405, method)
    if (!isRead) assert.equal(sent.allow, 'GET, HEAD, OPTIONS')
  }
})
