import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'vitest'
import { createKey, deleteKey } from '../../src/control/index.ts'
import { type Answer, onEachStore, sendRaw, startTestApp, type TestApp } from '../support/harness.ts'

const refusal = {
  status_code: 401,
  error: {
    message: 'The API key or the signature is missing or not valid.',
    code: 401,
    list: ['The API key or the signature is missing or not valid.'],
  },
  status_txt: 'Unauthorized',
}

/** Everything that a caller sees, but for the time. */
const seen = ({ status, headers: { date: _, ...headers }, text }: Answer) => ({ status, headers, text })

const inSeconds = (app: TestApp, seconds: number) =>
  new Date(app.app.control.clock.now().getTime() + seconds * 1_000)

onEachStore('keys', (store) => {
  test('a key that is missing, malformed, unknown, wrong, expired or deleted gets one and the same answer', async () => {
    await using app = await startTestApp({ store })
    const { key: expired } = await createKey(app.app.control, { expiresAt: inSeconds(app, 60) })
    const { key: deleted, id } = await createKey(app.app.control, { name: 'gone' })
    const withKey = (key: string) => app.call('GET', 'tenants', undefined, { 'x-api-key': key })
    assert.equal((await withKey(expired)).status, 200)
    assert.equal((await withKey(deleted)).status, 200)
    app.wait(60)
    await deleteKey(app.app.control, { id })

    const [, number, secret = ''] = app.key.split('_')
    const other = secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const keys = [
      expired,
      deleted,
      '',
      ' ',
      'x',
      secret,
      `trc_${secret}`,
      `trc__${secret}`,
      `trc_x_${secret}`,
      `trc_${number}_`,
      `trc_${number}_${other}`,
      `trc_${number}_${secret}x`,
      `trc_${number}_${secret.slice(1)}`,
      `trc_999999999_${secret}`,
      `trc_0_${secret}`,
      `trc_-1_${secret}`,
      `trc_0${number}_${secret}`,
      `trc_${number}.0_${secret}`,
      `trc_99999999999999999999_${secret}`,
      `trc_1e0_${secret}`,
      app.key.toUpperCase(),
      `TRC_${number}_${secret}`,
      `"${app.key}"`,
      `Bearer ${app.key}`,
      `${app.key},${app.key}`,
      `${app.key}%00`,
      'trc_1_\u00e9',
      'x'.repeat(10_000),
    ]
    const missing = await app.send('GET', '/_/api/4/tenants', { headers: { 'x-signature': app.sign('') } })
    assert.deepEqual(missing.json, refusal)
    assert.equal(missing.headers['cache-control'], 'no-store')
    for (const key of keys) assert.deepEqual(seen(await withKey(key)), seen(missing), key)
    assert.equal((await withKey(app.key)).status, 200)
  })

  test('the key is taken from its header alone, and from one header alone', async () => {
    await using app = await startTestApp({ store })
    const signed = { 'x-signature': app.sign('') }
    for (const [path, headers] of [
      [`tenants?key=${app.key}&x-api-key=${app.key}`, {}],
      ['tenants', { authorization: `Bearer ${app.key}` }],
      ['tenants', { cookie: `x-api-key=${app.key}` }],
      ['tenants', { x_api_key: app.key }],
      ['tenants', { 'x-apikey': app.key }],
    ] as const) {
      const answer = await app.send('GET', `/_/api/4/${path}`, { headers: { ...signed, ...headers } })
      assert.deepEqual(answer.json, refusal)
    }
    const twice = (name: string, value: string) => `${name}: ${value}\r\n${name}: ${value}\r\n`
    const one = (name: string, value: string) => `${name}: ${value}\r\n`
    const send = (lines: string) =>
      sendRaw(app.port, `GET /_/api/4/tenants HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`)
    const [key, signature] = [['X-API-Key', app.key] as const, ['X-Signature', app.sign('')] as const]
    assert.match(await send(one(...key) + one(...signature)), /^HTTP\/1\.1 200 /)
    for (const lines of [twice(...key) + one(...signature), one(...key) + twice(...signature)]) {
      const text = await send(lines)
      assert.match(text, /^HTTP\/1\.1 401 /)
      assert.ok(text.endsWith(JSON.stringify(refusal)))
    }
  })

  test('verifying answers with the details of the key and nothing else', async () => {
    await using app = await startTestApp({ store })
    const plain = await app.call('POST', 'auth/verify')
    assert.equal(plain.status, 200)
    assert.deepEqual(Object.keys(plain.json), ['key'])
    assert.deepEqual(Object.keys(plain.json.key), ['id', 'name', 'created_at', 'expires_at'])
    assert.equal(plain.json.key.id, app.key.split('_')[1])
    assert.deepEqual([plain.json.key.name, plain.json.key.expires_at], [null, null])
    assert.match(plain.json.key.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

    const named = await createKey(app.app.control, {
      name: 'ci \u00fc',
      expiresAt: new Date('2999-01-02T03:04:05.678Z'),
    })
    const { json, text } = await app.call('POST', 'auth/verify', undefined, { 'x-api-key': named.key })
    assert.deepEqual(
      [json.key.id, json.key.name, json.key.expires_at],
      [String(named.id), 'ci \u00fc', '2999-01-02 03:04:05'],
    )
    assert.ok(!text.includes(named.key.split('_')[2] ?? ''))
    assert.equal((await app.call('POST', 'auth/verify', {})).status, 200)
    assert.equal((await app.call('POST', 'auth/verify', { key: 1 })).status, 400)
    assert.equal((await app.call('GET', 'auth/verify')).status, 405)
  })

  test('who has no key cannot find out which tenants there are', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    for (const path of ['tenants', 'tenants-plans']) {
      const [known, unknown] = [
        await app.send('GET', `/_/api/4/${path}/cats`),
        await app.send('GET', `/_/api/4/${path}/nobody`),
      ]
      assert.deepEqual(seen(known), seen(unknown))
      assert.deepEqual(known.json, refusal)
    }
  })
})

test('a signature that is missing, malformed or of something else gets the same answer', async () => {
  await using app = await startTestApp()
  const body = '{"id":"cats","hostname":"cats.test","is_enabled":true}'
  const right = app.sign(body)
  const post = (signature: string) => app.call('POST', 'tenants', body, { 'x-signature': signature })
  const reference = await app.send('POST', '/_/api/4/tenants', { bytes: body })
  const signatures = [
    '',
    ' ',
    '0',
    'z'.repeat(64),
    '0'.repeat(64),
    right.slice(1),
    right.slice(0, 62),
    `${right}0`,
    `${right}00`,
    `0x${right}`,
    `0x${right.slice(2)}`,
    `sha256=${right}`,
    `"${right}"`,
    `${right}, ${right}`,
    `${right} x`,
    Buffer.from(right, 'hex').toString('base64'),
    right.replace(/.$/, 'g'),
    `${right.slice(0, 63)}\u00b2`,
    app.sign(''),
    app.sign(`${body} `),
    app.sign('{}'),
    app.sign(body.replace('cats', 'CATS')),
    createHmac('sha256', 'another').update(body).digest('hex'),
    createHmac('sha256', '').update(body).digest('hex'),
    createHmac('sha512', app.secret).update(body).digest('hex'),
    `${right.slice(0, 32)}${right.slice(0, 32)}`,
  ]
  for (const signature of signatures)
    assert.deepEqual(seen(await post(signature)), seen(reference), signature)
  assert.deepEqual((await app.call('GET', 'tenants')).json, [])

  assert.equal((await post(right.toUpperCase())).status, 201)
  assert.equal(
    (await app.call('DELETE', 'tenants/cats', undefined, { 'x-signature': mixedCase(app.sign('')) })).status,
    204,
  )
})

test('a call without a body is signed all the same', async () => {
  await using app = await startTestApp()
  const key = { 'x-api-key': app.key }
  for (const [method, path] of [
    ['GET', 'tenants'],
    ['GET', 'tenants/none'],
    ['DELETE', 'tenants/none'],
    ['POST', 'auth/verify'],
    ['HEAD', 'tenants-plans'],
  ] as const) {
    assert.equal((await app.send(method, `/_/api/4/${path}`, { headers: key })).status, 401)
    assert.notEqual((await app.call(method, path)).status, 401)
  }
})

test('the signature is of the bytes that were sent, not of what they mean', async () => {
  await using app = await startTestApp()
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  await fc.assert(
    fc.asyncProperty(json, fc.constantFrom(' ', '\n', '\t'), async (value, space) => {
      const text = JSON.stringify(value)
      for (const other of [`${text}${space}`, `${space}${text}`, text.replace('{', `{${space}`)]) {
        const answer = await app.call('POST', 'tenants', other, { 'x-signature': app.sign(text) })
        assert.deepEqual(answer.json, refusal)
      }
    }),
    { numRuns: 50 },
  )
  const twice = '{"id":"t0","id":"t1"}'
  assert.equal(
    (await app.call('POST', 'tenants', twice, { 'x-signature': app.sign('{"id":"t1"}') })).status,
    401,
  )
  const binary = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  const headers = {
    'x-api-key': app.key,
    'content-type': 'application/json',
    'x-signature': app.sign(binary),
  }
  assert.equal((await app.send('POST', '/_/api/4/tenants', { bytes: binary, headers })).status, 400)
})

test('an unknown version of the signature is refused', async () => {
  await using app = await startTestApp()
  for (const version of ['0', '3', '1.0', 'v1', '02', '2, 2', '1, 1', 'x']) {
    const answer = await app.call('GET', 'tenants', undefined, { 'x-signature-version': version })
    assert.deepEqual(answer.json, refusal, version)
  }
  assert.equal((await app.call('GET', 'tenants', undefined, { 'x-signature-version': '1' })).status, 200)
})

test('a secret that is not set is made once, readable only by its owner, and kept over a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-test-'))
  try {
    const secrets: string[] = []
    for (let start = 0; start < 2; start++) {
      await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: dataDir } })
      secrets.push(app.secret)
      const path = join(dataDir, 'secrets', 'request-secret')
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      assert.equal((await readFile(path, 'utf8')).trim(), app.secret)
      assert.equal((await app.call('POST', 'auth/verify')).status, 200)
    }
    assert.equal(secrets[0], secrets[1])
    assert.ok((secrets[0]?.length ?? 0) >= 43)
  } finally {
    await rm(dataDir, { recursive: true })
  }
})

test('a secret of any characters signs, and one from the environment is taken as it is', async () => {
  for (const secret of [
    'a secret of plain words',
    ' spaces around it stay ',
    'schl\u00fcssel \u{1f511} und mehr',
  ]) {
    await using app = await startTestApp({ environment: { SERVICE_TENANTS_API_REQUEST_SECRET: secret } })
    assert.equal(app.secret, secret)
    assert.equal((await app.call('POST', 'auth/verify')).status, 200)
    const trimmed = createHmac('sha256', secret.trim()).update('').digest('hex')
    const isSame = secret === secret.trim()
    const answer = await app.call('POST', 'auth/verify', undefined, { 'x-signature': trimmed })
    assert.equal(answer.status, isSame ? 200 : 401)
  }
})

test('no answer repeats a key or a secret', async () => {
  await using app = await startTestApp()
  const secret = app.key.split('_')[2] ?? ''
  for (const answer of [
    await app.call('POST', 'tenants', { [app.key]: app.secret }, { 'x-signature': 'wrong' }),
    await app.call('GET', `tenants/${app.key}`),
    await app.call('PATCH', 'tenants/x', 'not json'),
    await app.send('GET', '/_/openapi.json'),
    await app.send('GET', '/_/metrics'),
  ]) {
    assert.ok(!answer.text.includes(secret) && !answer.text.includes(app.secret))
  }
})

const mixedCase = (hex: string) =>
  [...hex].map((digit, place) => (place % 2 ? digit.toUpperCase() : digit)).join('')
