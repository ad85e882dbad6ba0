import assert from 'node:assert/strict'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'

interface Signing {
  timestamp?: string
  nonce?: string
  method?: string
  path?: string
  body?: string
  prefix?: string
}

const secondsNow = (app: TestApp) => Math.floor(app.app.control.clock.now().getTime() / 1_000)

/** Headers of the second scheme, as its description says. */
function signedV2(app: TestApp, given: Signing = {}): Record<string, string> {
  const { timestamp = String(secondsNow(app)), nonce = randomUUID(), method = 'POST', body = '' } = given
  const { path = '/_/api/4/auth/verify', prefix = 'v2' } = given
  const digest = createHash('sha256').update(body).digest('hex')
  const text = `${prefix}\n${timestamp}\n${nonce}\n${method}\n${path}\n${digest}`
  return {
    'x-api-key': app.key,
    'x-signature-version': '2',
    'x-timestamp': timestamp,
    'x-nonce': nonce,
    'x-signature': createHmac('sha256', app.secret).update(text).digest('hex'),
  }
}

const verify = (app: TestApp, headers: Record<string, string>) =>
  app.send('POST', '/_/api/4/auth/verify', { headers })

/** Everything that a caller sees, but for the time. */
const seen = ({ status, headers: { date: _, ...headers }, text }: Answer) => ({ status, headers, text })

onEachStore('the second scheme', (store) => {
  test('a request that is signed right passes once', async () => {
    await using app = await startTestApp({ store })
    const headers = signedV2(app)
    assert.equal((await verify(app, headers)).status, 200)
    const again = await verify(app, headers)
    assert.equal(again.status, 401)
    assert.deepEqual(seen(again), seen(await app.send('POST', '/_/api/4/auth/verify')))
    assert.equal((await verify(app, signedV2(app, { nonce: headers['x-nonce'] ?? '' }))).status, 401)
    assert.equal((await verify(app, signedV2(app))).status, 200)
  })

  test('of many at once with one nonce, one passes', async () => {
    await using app = await startTestApp({ store })
    const headers = signedV2(app)
    const answers = await Promise.all(Array.from({ length: 12 }, () => verify(app, headers)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(401)])
  })

  test('a nonce stays taken for as long as its time would be accepted', async () => {
    await using app = await startTestApp({ store })
    const headers = signedV2(app, { timestamp: String(secondsNow(app) + 300) })
    assert.equal((await verify(app, headers)).status, 200)
    for (const seconds of [299, 200, 100]) {
      app.wait(seconds)
      assert.equal((await verify(app, headers)).status, 401)
    }
  })

  test('a nonce stays taken over a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'terrace-test-'))
    const url = store === 'postgres' ? await freshDatabaseUrl() : undefined
    const environment = { SERVICE_DATA_DIR: dataDir, ...(url ? { SERVICE_DATABASE_URL: url } : {}) }
    try {
      let headers: Record<string, string> = {}
      for (const expected of [200, 401]) {
        await using app = await startTestApp({ environment })
        headers = expected === 200 ? signedV2(app) : { ...headers, 'x-api-key': app.key }
        assert.equal((await verify(app, headers)).status, expected)
        assert.equal((await verify(app, signedV2(app))).status, 200)
      }
    } finally {
      if (url) await dropDatabase(url)
      await rm(dataDir, { recursive: true })
    }
  })

  test('with a wrong signature no nonce is taken', async () => {
    await using app = await startTestApp({ store })
    const headers = signedV2(app)
    assert.equal((await verify(app, { ...headers, 'x-signature': '0'.repeat(64) })).status, 401)
    assert.equal((await verify(app, { ...headers, 'x-api-key': 'trc_1_x' })).status, 401)
    assert.equal((await verify(app, headers)).status, 200)
  })
})

test('a nonce that one server has taken is taken on the server beside it', async () => {
  await using one = await startTestApp({ store: 'postgres' })
  await using two = await startTestApp({ beside: one })
  assert.equal(two.secret, one.secret)
  for (let round = 0; round < 5; round++) {
    const headers = signedV2(one)
    const [first, second] = await Promise.all([verify(one, headers), verify(two, headers)])
    assert.deepEqual([first.status, second.status].sort(), [200, 401])
    assert.deepEqual([(await verify(one, headers)).status, (await verify(two, headers)).status], [401, 401])
  }
})

test('a time is accepted up to 300 seconds on either side', async () => {
  await using app = await startTestApp()
  const at = async (seconds: number): Promise<number> => {
    // The second may turn between our reading of the clock and the server's.
    const before = secondsNow(app)
    const { status } = await verify(app, signedV2(app, { timestamp: String(before + seconds) }))
    return secondsNow(app) === before ? status : at(seconds)
  }
  for (const seconds of [0, 1, -1, 299, -299, 300, -300])
    assert.equal(await at(seconds), 200, String(seconds))
  for (const seconds of [301, -301, 3_600, -3_600]) assert.equal(await at(seconds), 401, String(seconds))
})

test('everything that is signed must be what was sent', async () => {
  await using app = await startTestApp()
  const body = '{"id":"cats","hostname":"cats.test","is_enabled":true}'
  const path = '/_/api/4/tenants'
  const post = (signing: Signing, target = path) => {
    const headers = { ...signedV2(app, { body, path, ...signing }), 'content-type': 'application/json' }
    return app.send('POST', target, { bytes: body, headers })
  }
  for (const signing of [
    { method: 'GET' },
    { method: 'post' },
    { path: '/_/api/4/tenants/' },
    { path: '/_/api/4/tenants-plans' },
    { path: '/_/api/4/tenants?' },
    { path: '/_/api/4/tenants?a=1' },
    { path: `http://127.0.0.1${path}` },
    { path: 'tenants' },
    { body: `${body} ` },
    { body: '' },
    { prefix: 'v1' },
    { prefix: 'V2' },
  ]) {
    assert.equal((await post(signing)).status, 401, JSON.stringify(signing))
  }
  assert.equal((await post({}, `${path}?a=1`)).status, 401)
  assert.equal((await post({}, '/_//api/4/tenants')).status, 401)
  assert.equal((await post({}, '/%5f/api/4/tenants')).status, 401)
  const other = { ...signedV2(app, { body, path }), 'x-timestamp': String(secondsNow(app) - 1) }
  assert.equal((await app.send('POST', path, { bytes: body, headers: other })).status, 401)
  assert.equal(
    (await app.send('POST', path, { bytes: body, headers: { ...other, 'x-nonce': 'another-one' } })).status,
    401,
  )
  assert.deepEqual((await app.call('GET', 'tenants')).json, [])

  assert.equal((await post({ path: `${path}?a=1&b=%20` }, `${path}?a=1&b=%20`)).status, 201)
  const escaped = '/%5f/api/4/tenants/c%61ts'
  const headers = signedV2(app, { method: 'GET', path: escaped })
  assert.equal((await app.send('GET', escaped, { headers })).status, 200)
})

test('a malformed nonce or time is refused though it is signed', async () => {
  await using app = await startTestApp()
  for (const nonce of [
    '',
    '1234567',
    'x'.repeat(129),
    'with a space',
    'caf\u00e9-caf\u00e9',
    'tab\tinside',
  ]) {
    assert.equal((await verify(app, signedV2(app, { nonce }))).status, 401, nonce)
  }
  for (const nonce of ['12345678', 'x'.repeat(128), '!"#$%&/()=?~', '__proto__', "'; drop table nonce"]) {
    const isOfForm = !nonce.includes(' ')
    assert.equal((await verify(app, signedV2(app, { nonce }))).status, isOfForm ? 200 : 401, nonce)
  }
  const now = secondsNow(app)
  for (const timestamp of [
    '',
    '0',
    `-${now}`,
    `+${now}`,
    `${now}.0`,
    `${now}e0`,
    `0${now}`,
    `${now}000`,
    'now',
    '0x10',
    `9${'0'.repeat(30)}`,
  ]) {
    assert.equal((await verify(app, signedV2(app, { timestamp }))).status, 401, timestamp)
  }
  for (const name of ['x-nonce', 'x-timestamp', 'x-signature', 'x-signature-version']) {
    const { [name]: _, ...headers } = signedV2(app)
    assert.equal((await verify(app, headers)).status, 401, name)
  }
})

test('the first scheme may be switched off, but for the proxy, which signs nothing', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TENANTS_API_REQUIRE_V2: '1' } })
  const first = await app.call('POST', 'auth/verify')
  assert.deepEqual(seen(first), seen(await app.send('POST', '/_/api/4/auth/verify')))
  assert.equal((await app.call('POST', 'auth/verify', undefined, { 'x-signature-version': '1' })).status, 401)
  assert.equal((await verify(app, signedV2(app))).status, 200)
  const headers = { 'x-api-key': app.key }
  assert.equal((await app.send('GET', '/_/api/4/config/proxy', { headers })).status, 200)
})
