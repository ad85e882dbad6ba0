import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { freePort, onEachStore, sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { hostsOfRule } from '../support/project/traefik-rule.ts'
import { runsOf } from '../support/tiers.ts'

const getProxy = (app: TestApp, headers: Record<string, string> = {}, path = 'config/proxy') =>
  app.send('GET', `/_/api/4/${path}`, { headers: { 'x-api-key': app.key, ...headers } })

const add = (app: TestApp, id: string, more: object = {}) =>
  app.call('POST', 'tenants', {
    id,
    hostname: `${id.toLowerCase().replaceAll('_', 'u')}.test`,
    is_enabled: true,
    ...more,
  })

onEachStore('the proxy configuration', (store) => {
  test('is a whole document for Traefik, with a router for every tenant', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await add(app, 'not-installed')
    await add(app, 'disabled', { is_enabled: false })
    const { status, headers, json, text } = await getProxy(app)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['content-length'], String(Buffer.byteLength(text)))
    const router = (hostname: string) => ({
      rule: `Host(\`${hostname}\`)`,
      service: 'service',
      entryPoints: ['websecure'],
      middlewares: ['allow-range'],
    })
    assert.deepEqual(json, {
      http: {
        routers: {
          '*': router('localhost'),
          cats: router('cats.test'),
          disabled: router('disabled.test'),
          'not-installed': router('not-installed.test'),
        },
        services: {
          service: {
            loadBalancer: { servers: [{ url: `http://127.0.0.1:${app.port}` }], passHostHeader: true },
          },
        },
        middlewares: { 'allow-range': { ipAllowList: { sourceRange: ['0.0.0.0/0', '::/0'] } } },
      },
    })
    assert.equal((await getProxy(app, {}, 'config/traefik')).text, text)
  })

  test('follows every change at once, and is the same bytes for the same tenants', async () => {
    await using app = await startTestApp({ store })
    const empty = (await getProxy(app)).text
    for (const id of ['b', 'a', '10', '9', 'B2', 'z_1', 'z-1']) await add(app, id)
    const { text } = await getProxy(app)
    for (let round = 0; round < 50; round++) assert.equal((await getProxy(app)).text, text)
    const ids = [...text.matchAll(/"([^"]+)":\{"rule"/g)].map(([, id]) => id)
    assert.deepEqual(ids, ['*', '10', '9', 'B2', 'a', 'b', 'z-1', 'z_1'])

    for (const [method, path, body, isSeen] of [
      ['PATCH', 'tenants/a', { is_enabled: false }, false],
      ['PATCH', 'tenants/a', { limits: { A: '1' } }, false],
      ['POST', 'tenants-plans', { id: 'p' }, false],
      ['PATCH', 'tenants/a', { hostname: 'other.test' }, true],
      ['PATCH', 'tenants/a', { hostname: 'a.test' }, false],
      ['DELETE', 'tenants/b', undefined, true],
      ['POST', 'tenants', { id: 'b', hostname: 'b.test', is_enabled: false }, false],
    ] as const) {
      await app.call(method, path, body)
      assert.equal((await getProxy(app)).text !== text, isSeen, `${method} ${path} ${JSON.stringify(body)}`)
    }

    // The way to a state does not show in it.
    for (const id of ['z-1', 'z_1', 'B2', '9', '10', 'b', 'a']) await app.call('DELETE', `tenants/${id}`)
    assert.equal((await getProxy(app)).text, empty)
    for (const id of ['z-1', 'z_1', 'B2', '9', '10', 'b', 'a']) await add(app, id)
    assert.equal((await getProxy(app)).text, text)
  })

  test('has only rules that match their own host, and no other tenant’s', async () => {
    await using app = await startTestApp({ store })
    const name = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.webUrl())
    const hostile = fc.constantFrom(
      'a.test`) || Host(`b.test',
      'a`',
      '`',
      'a.test)',
      '{a}',
      'HostRegexp(`.*`)',
      'PathPrefix(`/`)',
    )
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: fc.domain() }, name, hostile), async (hostname) => {
        await app.call('POST', 'tenants', { id: `t${number++}`, hostname, is_enabled: true })
      }),
      { numRuns: runsOf(300) },
    )
    const tenants: { id: string; hostname: string }[] = (await app.call('GET', 'tenants')).json
    assert.ok(tenants.length > 10)
    const { routers } = (await getProxy(app)).json.http
    assert.deepEqual(hostsOfRule(routers['*'].rule), ['localhost'])
    assert.equal(Object.keys(routers).length, tenants.length + 1)
    for (const { id, hostname } of tenants) assert.deepEqual(hostsOfRule(routers[id].rule), [hostname])
  })

  test('has no two routers with one rule, whosever the installation’s own host is', async () => {
    await using app = await startTestApp({ store })
    const rules = async () => {
      const { routers } = (await getProxy(app)).json.http
      return Object.entries(routers).map(([name, { rule }]: [string, any]) => `${name} ${rule}`)
    }
    const alone = ['* Host(`localhost`)']
    assert.deepEqual(await rules(), alone)
    const demo = { id: 'demo', hostname: 'localhost', is_enabled: true }
    await app.call('POST', 'tenants', demo)
    const shared = ['* Host(`localhost`) && PathPrefix(`/_/`)', 'demo Host(`localhost`)']
    assert.deepEqual(await rules(), shared)
    await app.call('PATCH', 'tenants/demo', { is_enabled: false })
    assert.deepEqual(await rules(), shared)
    await app.call('PATCH', 'tenants/demo', { hostname: 'demo.test' })
    assert.deepEqual(await rules(), [...alone, 'demo Host(`demo.test`)'])
  })

  test('is plain JSON that YAML reads alike, without anything empty', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'u', hostname: 'b\u00fccher.test', is_enabled: true })
    const { text, json } = await getProxy(app)
    assert.match(text, /^[ -~]+$/)
    assert.ok(!/\\/.test(text) && !/\{\}|\[\]|""|null/.test(text))
    assert.equal(JSON.stringify(json), text)
    assert.equal(json.http.routers.u.rule, 'Host(`xn--bcher-kva.test`)')
  })

  test('is answered whole whenever it is asked', async () => {
    await using app = await startTestApp({ store })
    const { text } = await getProxy(app)
    const etag = '"x"'
    for (const headers of [
      { 'if-none-match': '*' },
      { 'if-none-match': etag, 'if-modified-since': new Date(Date.now() + 1e9).toUTCString() },
      { 'accept-encoding': 'gzip, br' },
      { accept: 'text/html' },
      { range: 'bytes=0-1' },
    ]) {
      const answer = await getProxy(app, headers)
      assert.deepEqual([answer.status, answer.text], [200, text])
      assert.equal(answer.headers.etag, undefined)
    }
  })
})

test('the settings stand in the document', async () => {
  await using app = await startTestApp({
    environment: {
      SERVICE_HOSTNAME: 'Media.Example.COM.',
      SERVICE_NAME: 'media',
      SERVICE_PROXY_UPSTREAMS: 'http://10.0.0.1:8080, https://media-2:8443,http://[::1]:1/',
      SERVICE_PROXY_ENTRYPOINTS: 'web, websecure',
      SERVICE_PROXY_IP_ALLOW_LIST: '10.0.0.0/8,2001:db8::/32',
    },
  })
  await add(app, 'cats')
  const { http } = (await getProxy(app)).json
  assert.equal(http.routers['*'].rule, 'Host(`media.example.com`)')
  for (const router of Object.values(http.routers) as { service: string; entryPoints: string[] }[]) {
    assert.deepEqual([router.service, router.entryPoints], ['media', ['web', 'websecure']])
  }
  assert.deepEqual(Object.keys(http.services), ['media'])
  assert.deepEqual(http.services.media.loadBalancer.servers, [
    { url: 'http://10.0.0.1:8080' },
    { url: 'https://media-2:8443' },
    { url: 'http://[::1]:1' },
  ])
  assert.deepEqual(http.middlewares['allow-range'].ipAllowList.sourceRange, ['10.0.0.0/8', '2001:db8::/32'])
})

test('without upstreams the proxy is sent to this process, by an address that it can reach', async () => {
  for (const [listen, url] of [
    ['0.0.0.0', 'http://127.0.0.1'],
    ['[::]', 'http://127.0.0.1'],
    ['[::1]', 'http://[::1]'],
    ['localhost', 'http://localhost'],
  ]) {
    const port = await freePort()
    await using app = await startTestApp({ environment: { SERVICE_LISTEN: `${listen}:${port}` } })
    const headers = { 'x-api-key': app.key }
    const at = listen === '[::1]' ? '::1' : '127.0.0.1'
    const response = await fetch(`http://${at === '::1' ? '[::1]' : at}:${port}/_/api/4/config/proxy`, {
      headers,
    })
    const { http } = (await response.json()) as { http: { services: object } }
    assert.ok(JSON.stringify(http.services).includes(`{"url":"${url}:${port}"}`))
  }
})

test('the key is needed, and a signature is not', async () => {
  await using app = await startTestApp()
  for (const key of ['', 'wrong', 'trc_1_x'])
    assert.equal((await getProxy(app, { 'x-api-key': key })).status, 401)
  assert.equal((await app.send('GET', '/_/api/4/config/proxy')).status, 401)
  for (const signature of ['', 'wrong', app.sign('')])
    assert.equal((await getProxy(app, { 'x-signature': signature, 'x-signature-version': '9' })).status, 200)
})

const forwarding = [
  'Forwarded',
  'Via',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Anything',
  'X-Real-IP',
  'X-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Ray',
  'x_forwarded_for',
  'X-Original-URL',
]
const localHosts = [
  'localhost',
  'LOCALHOST.',
  'localhost:1',
  'a.localhost',
  '127.0.0.1',
  '127.0.0.1:80',
  '127.1.2.3',
  '[::1]',
  '[::1]:8080',
  '[0:0::1]',
]
const otherHosts = [
  'cats.test',
  'example.com',
  'localhost.example.com',
  '10.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::2]',
  'mylocalhost',
  '128.0.0.1',
  '1.2.3.4',
]

test('only this machine is answered, and not what a proxy on it passes on', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  for (const path of ['/_/api/4/config/proxy', '/_/api/4/config/traefik', '/_/tls/ask?domain=cats.test']) {
    const get = async (headers: Record<string, string>) =>
      (await app.send('GET', path, { headers: { 'x-api-key': app.key, ...headers } })).status
    for (const host of localHosts) assert.equal(await get({ host }), 200, host)
    for (const host of otherHosts) assert.equal(await get({ host }), 403, host)
    for (const name of forwarding) {
      for (const value of ['127.0.0.1', 'localhost', '', 'x'])
        assert.equal(await get({ [name]: value }), 403, name)
    }
  }
})

test('a trusted proxy is no less a proxy', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  assert.equal((await getProxy(app)).status, 200)
  for (const name of forwarding)
    assert.equal((await getProxy(app, { [name]: '127.0.0.1' })).status, 403, name)
})

test('with an internal port it is answered there and is not to be found elsewhere', async () => {
  const internal = await freePort()
  await using app = await startTestApp({ environment: { SERVICE_INTERNAL_PORT: String(internal) } })
  await app.tenant('cats')
  const headers = { 'x-api-key': app.key }
  for (const path of ['/_/api/4/config/proxy', '/_/api/4/config/traefik', '/_/tls/ask?domain=cats.test']) {
    const inside = await sendRequest(internal, 'GET', path, { headers })
    assert.equal(inside.status, 200)
    const outside = await app.send('GET', path, { headers })
    assert.deepEqual([outside.status, outside.json.error.code], [404, 404])
    assert.equal((await app.send('GET', path)).text, outside.text)
    for (const more of [{ host: 'cats.test' }, { 'x-forwarded-for': '127.0.0.1' }])
      assert.equal(
        (await sendRequest(internal, 'GET', path, { headers: { ...headers, ...more } })).status,
        403,
      )
  }
  assert.equal((await sendRequest(internal, 'GET', '/_/api/4/config/proxy')).status, 401)
  assert.equal((await sendRequest(internal, 'GET', '/_/health/live')).status, 200)
  assert.equal((await app.send('GET', '/_/metrics')).status, 401)
  assert.equal((await sendRequest(internal, 'GET', '/_/metrics')).status, 200)
  assert.equal((await app.send('GET', '/_/metrics', { headers })).status, 200)
})

test('the console has a router and a certificate of its own, unless a tenant has its hostname', async () => {
  await using app = await startTestApp({ environment: { SERVICE_CONSOLE_HOSTNAME: 'console.test' } })
  const rules = async () => {
    const routers = Object.entries((await getProxy(app)).json.http.routers) as [string, { rule: string }][]
    return routers.map(([name, { rule }]) => `${name} ${rule}`)
  }
  const ask = async (domain: string) => (await app.send('GET', `/_/tls/ask?domain=${domain}`)).status
  assert.deepEqual(await rules(), ['* Host(`localhost`)', '*console Host(`console.test`)'])
  assert.deepEqual(
    [await ask('console.test'), await ask('localhost'), await ask('cats.test')],
    [200, 404, 404],
  )
  await add(app, 'cats', { hostname: 'console.test', is_enabled: false })
  assert.deepEqual(await rules(), ['* Host(`localhost`)', 'cats Host(`console.test`)'])
  assert.equal(await ask('console.test'), 404)
})
