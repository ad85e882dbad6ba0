import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { limit, picture } from '../support/uploads.ts'

test('each key and each address has its own rate, and every response reports it', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const other = await keyOf(app, cats, 'write')
  await limit(app, cats, { SERVICE_RATE_READS: '3', SERVICE_RATE_WRITES: '2' })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  const remaining = []
  for (let count = 0; count < 4; count += 1) {
    const { status, headers } = await ask5(app, cats, 'GET me', { key })
    assert.equal(headers['ratelimit-policy'], '"reads";q=3;w=60')
    const [, left, seconds] = /^"reads";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? []
    assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60)
    remaining.push([status, Number(left)])
  }
  assert.deepEqual(remaining, [
    [200, 2],
    [200, 1],
    [200, 0],
    [429, 0],
  ])
  const refused = await ask5(app, cats, 'GET me', { key })
  assert.deepEqual(problem(refused), [429, 'rate-limited'])
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.equal((await ask5(app, cats, 'GET me', { key: other })).status, 200)
  const written = await ask5(app, cats, 'POST keys', { key, body: { name: 'a' } })
  assert.deepEqual([written.status, written.headers['ratelimit-policy']], [201, '"writes";q=2;w=60'])

  for (const [address, status] of [
    ['2001:db8::1', 200],
    ['2001:db8::2', 200],
    ['2001:db8:0:0:ffff::3', 200],
    ['2001:db8::4', 429],
    ['2001:db8:0:1::1', 200],
  ] as const)
    assert.equal((await ask5(app, cats, 'GET me', from(address))).status, status, address)
  app.wait(60)
  assert.equal((await ask5(app, cats, 'GET me', { key })).status, 200)
})

test('wrong keys and unknown addresses count for the address', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await limit(app, cats, { SERVICE_RATE_READS: '4' })
  const wrong = await ask5(app, cats, 'GET me', { key: 'a wrong key' })
  assert.deepEqual([wrong.status, wrong.headers['ratelimit-policy']], [401, '"reads";q=4;w=60'])
  const unknown = await ask5(app, cats, 'GET none')
  assert.deepEqual([unknown.status, unknown.headers['ratelimit-policy']], [404, '"reads";q=4;w=60'])
  await ask5(app, cats, 'GET none')
  await ask5(app, cats, 'GET me', { key: 'a wrong key' })
  assert.deepEqual(problem(await ask5(app, cats, 'GET me', { key: 'a wrong key' })), [429, 'rate-limited'])
})

test('a rate of 0 is none, and is not reported', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await limit(app, cats, { SERVICE_RATE_READS: '0' })
  const { headers } = await ask5(app, cats, 'GET me')
  assert.deepEqual([headers.ratelimit, headers['ratelimit-policy']], [undefined, undefined])
})

test('pages of every origin may call, without credentials', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const headers = {
    origin: 'https://app.test',
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'x-api-key, idempotency-key, if-match, content-type',
  }
  for (const path of ['me', 'keys/abc', 'nothing']) {
    const preflight = await ask5(app, cats, `OPTIONS ${path}`, { headers })
    assert.equal(preflight.status, 204, path)
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined)
    assert.match(String(preflight.headers['access-control-allow-methods']), /PATCH/)
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ')
    for (const name of headers['access-control-request-headers'].split(', '))
      assert.ok(allowed.includes(name), name)
  }
  const refused = await ask5(app, cats, 'GET keys', { headers: { origin: 'https://app.test' } })
  assert.equal(refused.status, 401)
  assert.equal(refused.headers['access-control-allow-origin'], '*')
  const exposed = String(refused.headers['access-control-expose-headers']).split(', ')
  for (const name of ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'etag', 'location'])
    assert.ok(exposed.includes(name), name)
})

test('an upload has the flood limits only, by either API', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  await limit(app, cats, { SERVICE_RATE_WRITES: '2' })
  const headersOf = { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' }
  const upload = async (seed: number) =>
    app.send('POST', '/api/5/files', { bytes: await picture({ seed }), headers: headersOf })
  for (let seed = 1; seed <= 4; seed += 1) {
    const { status, headers } = await upload(seed)
    assert.equal(status, 201)
    assert.match(String(headers.ratelimit), /^"writes";r=2;/)
  }
  const titles = []
  for (let count = 0; count < 3; count += 1)
    titles.push((await ask5(app, cats, 'POST albums', { key, body: { title: 'x' } })).status)
  assert.deepEqual(titles, [201, 201, 429])
  assert.equal((await upload(5)).status, 201)
  for (let count = 0; count < 3; count += 1) await ask5(app, cats, 'POST files', { key: 'wrong' })
  assert.deepEqual(problem(await ask5(app, cats, 'POST files', { key: 'wrong' })), [429, 'rate-limited'])
})
