import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { askFrom } from '../support/clients/ask-from.ts'
import { freePort, onEachStore, sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { runsOf } from '../support/tiers.ts'
import { uploaded } from '../support/uploads.ts'

const proxy = '127.0.0.9'
const trusted = { SERVICE_TRUSTED_PROXIES: `${proxy},192.0.2.1` }

/** The status of a signed call to the management API. */
const verify = async (app: TestApp, from: string, headers: Record<string, string | string[]> = {}) => {
  const signed = { 'x-api-key': app.key, 'x-signature': app.sign(''), ...headers }
  return (await askFrom(app.port, { method: 'POST', path: '/_/api/4/auth/verify', from, headers: signed }))
    .status
}

/** Linux has all of 127.0.0.0/8; elsewhere only 127.0.0.1 can be asked from. */
const onLinux = await needing('linux')
onLinux.describe('what a proxy reports of the client', () => {
  test('is read from X-Forwarded-For, else Forwarded, else X-Real-IP', async () => {
    const environment = { ...trusted, SERVICE_TENANTS_API_IP_ALLOW_LIST: '10.0.0.0/8,2001:db8::/32' }
    await using app = await startTestApp({ environment })
    for (const [name, value, status] of [
      ['x-forwarded-for', '10.0.0.1:4711', 200],
      ['x-forwarded-for', '6.6.6.6, 10.0.0.1:1', 200],
      ['x-forwarded-for', '10.0.0.1, 6.6.6.6:4711', 403],
      ['x-forwarded-for', '10.0.0.1:4711, 192.0.2.1:80', 200],
      ['x-forwarded-for', '[2001:db8::1]', 200],
      ['x-forwarded-for', '[2001:db8::1]:4711', 200],
      ['x-forwarded-for', '[::ffff:10.0.0.1]:4711', 200],
      ['x-forwarded-for', '[10.0.0.1]:4711', 403],
      ['x-forwarded-for', '10.0.0.1:', 403],
      ['x-forwarded-for', '10.0.0.1:x', 403],
      ['x-forwarded-for', '10.0.0.1:4711:1', 403],
      ['x-forwarded-for', '[2001:db8::1]4711', 403],
      ['forwarded', 'for=10.0.0.1', 200],
      ['forwarded', 'For="10.0.0.1:4711";proto=https;by=192.0.2.1', 200],
      ['forwarded', 'proto=https; for="[2001:db8::1]:4711" ; host="a.test"', 200],
      ['forwarded', 'for=6.6.6.6, for=10.0.0.1', 200],
      ['forwarded', 'for=10.0.0.1, for=6.6.6.6', 403],
      ['forwarded', 'for=10.0.0.1,for=192.0.2.1', 200],
      ['forwarded', 'for=unknown', 403],
      ['forwarded', 'for=_hidden', 403],
      ['forwarded', 'proto=https', 403],
      ['forwarded', 'for=10.0.0.1;for=10.0.0.1', 403],
      ['forwarded', 'for=10.0.0.1, proto=https', 403],
      // What a client leaves open does not hide what the proxy adds, nor count in its place.
      ['forwarded', 'for="10.0.0.1, for=6.6.6.6', 403],
      ['forwarded', 'for="10.0.0.1, for="6.6.6.6:1"', 403],
      ['forwarded', 'for=10.0.0.1;x=", for=6.6.6.6', 403],
      ['x-real-ip', '10.0.0.1', 200],
      ['x-real-ip', '2001:db8::1', 200],
      ['x-real-ip', '6.6.6.6', 403],
      ['x-real-ip', '', 403],
    ] as const)
      assert.equal(await verify(app, proxy, { [name]: value }), status, `${name}: ${value}`)

    const others = { forwarded: 'for=10.0.0.1', 'x-real-ip': '10.0.0.1' }
    assert.equal(await verify(app, proxy, { 'x-forwarded-for': '6.6.6.6', ...others }), 403)
    assert.equal(await verify(app, proxy, { ...others, forwarded: 'for=6.6.6.6' }), 403)
    assert.equal(await verify(app, proxy, { 'x-real-ip': ['10.0.0.1', '6.6.6.6'] }), 403)
  })

  test('never lends the client the address of the proxy', async () => {
    const environment = { ...trusted, SERVICE_TENANTS_API_IP_ALLOW_LIST: '127.0.0.0/8' }
    await using app = await startTestApp({ environment })
    assert.equal(await verify(app, proxy), 200, 'the proxy asks for itself')
    const speaking: Record<string, string>[] = [
      { forwarded: 'for=6.6.6.6' },
      { forwarded: 'for=unknown' },
      { 'x-real-ip': '6.6.6.6' },
      { 'x-real-ip': 'unknown' },
      { 'x-forwarded-for': '' },
      { 'x-forwarded-for': 'unknown' },
      { 'x-forwarded-proto': 'https' },
      { 'x-forwarded-host': 'cats.test' },
      { via: '1.1 proxy' },
      { 'cf-connecting-ip': '127.0.0.1' },
    ]
    for (const headers of speaking)
      assert.equal(await verify(app, proxy, headers), 403, JSON.stringify(headers))
  })

  test('never passes the allow list through an untrusted proxy, whatever its own address', async () => {
    const environment = { ...trusted, SERVICE_TENANTS_API_IP_ALLOW_LIST: '127.0.0.0/8' }
    await using app = await startTestApp({ environment })
    assert.equal(await verify(app, '127.0.0.1'), 200)
    const names = [
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'Forwarded',
      'X-Real-IP',
      'Via',
    ]
    for (const name of [
      ...names,
      'X-Client-IP',
      'Client-IP',
      'True-Client-IP',
      'CF-Connecting-IP',
      'x_forwarded_for',
    ])
      for (const value of ['127.0.0.1', 'for=127.0.0.1', '6.6.6.6', ''])
        assert.equal(await verify(app, '127.0.0.1', { [name]: value }), 403, `${name}: ${value}`)
  })

  test('is no fault of the server, whatever the headers hold', async () => {
    const environment = { ...trusted, SERVICE_TENANTS_API_IP_ALLOW_LIST: '10.0.0.0/8' }
    await using app = await startTestApp({ environment })
    const piece = fc.constantFrom(
      'for=',
      '"',
      '[',
      ']',
      ':',
      ',',
      ';',
      '=',
      '10.0.0.1',
      '::1',
      '\\',
      ' ',
      'x',
    )
    const value = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('x-forwarded-for', 'forwarded', 'x-real-ip'),
        value,
        async (name, text) => {
          assert.ok([200, 403].includes((await verify(app, proxy, { [name]: text })) ?? 0))
        },
      ),
      { numRuns: runsOf(500) },
    )
  })

  test('names another host only where a setting of its own allows it', async () => {
    for (const [setting, names] of [
      ['', 'cats'],
      ['0', 'cats'],
      ['1', 'dogs'],
    ] as const) {
      await using app = await startTestApp({
        environment: { ...trusted, SERVICE_TRUST_FORWARDED_HOST: setting },
      })
      const cats = await app.tenant('cats')
      const dogs = await app.tenant('dogs')
      const files = {
        cats: await uploaded(app, cats),
        dogs: await uploaded(app, dogs, { fileName: 'dog.png' }),
      }
      const headers = { host: 'cats.test', 'x-forwarded-host': 'dogs.test' }
      const page = await askFrom(app.port, { from: proxy, headers })
      assert.match(page.text, new RegExp(`<h1>${names}\\.test</h1>`), `setting ${setting}`)
      // Files are answered before the framework, too.
      for (const [owner, { url }] of Object.entries(files)) {
        for (let round = 0; round < 3; round += 1) {
          const { status } = await askFrom(app.port, { from: proxy, headers, path: new URL(url).pathname })
          assert.equal(status, owner === names ? 200 : 404, `setting ${setting}, ${owner}`)
        }
      }
      const stranger = await askFrom(app.port, { from: '127.0.0.1', headers })
      assert.match(stranger.text, /<h1>cats\.test<\/h1>/)
    }
  })

  test('decides the scheme of addresses, after the setting and before http', async () => {
    for (const [settings, secure, plain, direct] of [
      [{}, 'https://cats.test/', 'http://cats.test/', 'http://cats.test:PORT/'],
      [
        { SERVICE_PUBLIC_PORT: '8443' },
        'https://cats.test:8443/',
        'http://cats.test:8443/',
        'http://cats.test:8443/',
      ],
      [{ SERVICE_PUBLIC_SCHEME: 'http' }, 'http://cats.test/', 'http://cats.test/', 'http://cats.test/'],
      [{ SERVICE_PUBLIC_SCHEME: 'https' }, 'https://cats.test/', 'https://cats.test/', 'https://cats.test/'],
    ] as const) {
      await using app = await startTestApp({ environment: { ...trusted, ...settings } })
      const cats = await app.tenant('cats')
      const { url } = await uploaded(app, cats)
      assert.ok(url.startsWith(direct.replace('PORT', String(app.port))), url)
      const viewer = (await uploaded(app, cats)).url_viewer
      const asked = async (from: string, proto: string) => {
        const headers = { host: 'cats.test', 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': proto }
        const path = new URL(viewer).pathname
        const page = (await askFrom(app.port, { from, headers, path })).text
        const oembed = (await askFrom(app.port, { from, headers, path: `/oembed?url=${viewer}` })).text
        const base = /<link rel="canonical" href="([^"]*\/)image\//.exec(page)?.[1]
        assert.equal(JSON.parse(oembed).provider_url, base)
        return base
      }
      for (const proto of ['https', 'HTTPS', 'http, https'])
        assert.equal(await asked(proxy, proto), secure, proto)
      for (const proto of ['http', 'https, http']) assert.equal(await asked(proxy, proto), plain, proto)
      for (const proto of ['', 'ftp', 'https://'])
        assert.equal(await asked(proxy, proto), direct.replace('PORT', String(app.port)), proto)
      assert.equal(await asked('127.0.0.1', 'https'), direct.replace('PORT', String(app.port)))
    }
  })

  test('opens the metrics to no trusted proxy without a key, but for the internal port', async () => {
    const internal = await freePort()
    const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
    await using app = await startTestApp({ environment })
    await using inside = await startTestApp({
      environment: { ...environment, SERVICE_INTERNAL_PORT: String(internal) },
    })
    const metrics = async (port: number, from: string, headers = {}) =>
      (await askFrom(port, { path: '/_/metrics', from, headers })).status
    assert.equal(await metrics(app.port, '127.0.0.1'), 401)
    assert.equal(await metrics(app.port, '127.0.0.1', { 'x-api-key': app.key }), 200)
    assert.equal(await metrics(app.port, '127.0.0.2'), 200)
    assert.equal(await metrics(app.port, '127.0.0.2', { via: '1.1 x' }), 401)
    assert.equal(await metrics(inside.port, '127.0.0.2'), 401)
    assert.equal(await metrics(internal, '127.0.0.1'), 200)
    assert.equal(await metrics(internal, '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }), 401)
    for (const [port, key] of [
      [app.port, app.key],
      [internal, inside.key],
    ] as const) {
      const path = '/_/api/4/config/proxy'
      assert.equal((await askFrom(port, { path })).status, 401)
      assert.equal((await askFrom(port, { path, headers: { 'x-api-key': key } })).status, 200)
    }
  })
})

onEachStore('this machine', (store) => {
  test('has one site, whether it is called localhost or by its address', async () => {
    await using app = await startTestApp({ store })
    const get = (host: string, path = '/', accept = 'text/html') =>
      sendRequest(app.port, 'GET', path, { headers: { host, accept } })
    const nobody = await get('127.0.0.1:8080')
    assert.equal(nobody.status, 404)
    assert.ok(nobody.text.includes('There is no site at the hostname &quot;127.0.0.1&quot;.'))
    assert.ok(nobody.text.includes('tenants list'))
    const elsewhere = await get('nobody.test', '/', '*/*')
    assert.equal(elsewhere.json.error.message, 'There is no site at the hostname "nobody.test".')

    await app.call('POST', 'tenants', { id: 'demo', hostname: 'localhost', is_enabled: true })
    assert.equal((await get('127.0.0.1')).status, 503)
    const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
    const { json } = await app.call('POST', 'tenants/demo/install', account)
    const { url } = await uploaded(app, { id: 'demo', hostname: 'localhost', apiKey: json.api_key })
    assert.equal(new URL(url).hostname, 'localhost')
    for (const host of ['localhost', '127.0.0.1', '127.0.0.1:8080', '127.1.2.3', '[::1]', '[::1]:8080']) {
      assert.match((await get(host)).text, /<h1>localhost<\/h1>/, host)
      for (let round = 0; round < 3; round += 1)
        assert.equal((await get(host, new URL(url).pathname)).status, 200, host)
    }
    for (const host of ['128.0.0.1', '10.0.0.1', '[::2]', 'a.localhost', '127.0.0.1.test'])
      assert.equal((await get(host)).status, 404, host)
    await app.call('PATCH', 'tenants/demo', { is_enabled: false })
    assert.equal((await get('127.0.0.1')).status, 403)
  })
})
