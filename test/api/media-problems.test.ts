import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import type { TestTenant } from '../support/uploads.ts'

describe('the API of a site', () => {
  let app: TestApp
  let cats: TestTenant
  let key: string

  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    key = await keyOf(app, cats, 'write')
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('answers an unknown address with a problem, whatever the method', async () => {
    for (const call of ['GET none', 'POST none', 'PUT none', 'DELETE a/b/c', 'PATCH keys/a/b', 'GET ']) {
      assert.deepEqual(problem(await ask5(app, cats, call)), [404, 'not-found'], call)
    }
    assert.equal((await ask5(app, cats, 'HEAD none')).status, 404)
  })

  test('names the methods of an address that has others', async () => {
    const refused = await ask5(app, cats, 'POST me')
    assert.deepEqual(problem(refused), [405, 'method-not-allowed'])
    assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS, PATCH')
    assert.equal((await ask5(app, cats, 'PUT keys')).headers.allow, 'GET, HEAD, OPTIONS, POST')
  })

  test('leaves /api/5/upload to the old refusal', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, json, headers } = await app.send(method, '/api/5/upload', {
        headers: { host: cats.hostname },
      })
      assert.deepEqual([status, json.error.code, json.error.message], [400, 110, 'Invalid API version.'])
      assert.match(headers['content-type'] ?? '', /^application\/json/)
    }
    const plain = await app.send('GET', '/api/5/upload?format=txt', { headers: { host: cats.hostname } })
    assert.deepEqual([plain.status, plain.text], [400, 'Invalid API version.'])
    assert.equal((await app.send('PUT', '/api/5/upload', { headers: { host: cats.hostname } })).status, 405)
    const other = await app.send('GET', '/api/6/keys', { headers: { host: cats.hostname } })
    assert.deepEqual([other.status, other.json.error.code], [400, 110])
  })

  test('gives every response a request id of its own', async () => {
    const answers = [await ask5(app, cats, 'GET me'), await ask5(app, cats, 'GET me')]
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    assert.ok(ids.every((id) => /^[A-Za-z0-9]{12}$/.test(String(id))))
    assert.notEqual(ids[0], ids[1])
  })

  test('refuses every cause of 401 alike', async () => {
    const [, id = ''] = key.split('_')
    const wrong = [
      { key: 'nothing' },
      { key: `trc_${id}_${'a'.repeat(43)}` },
      { key: `trc_unknown_${'a'.repeat(43)}` },
      { headers: { authorization: 'Bearer' } },
      { headers: { authorization: 'Bearer nothing' } },
      {},
    ]
    const answers = await Promise.all(wrong.map((call) => ask5(app, cats, 'GET keys', call)))
    for (const answer of answers) {
      assert.deepEqual(problem(answer), [401, 'unauthenticated'])
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
    }
    const details = answers.map(({ json }) => json.detail)
    assert.equal(new Set(details).size, 1)
  })

  test('takes a key in either header, and another scheme as no key', async () => {
    const bearer = await ask5(app, cats, 'GET me', { headers: { authorization: `Bearer ${key}` } })
    assert.equal(bearer.json.user.username, 'ada')
    const basic = await ask5(app, cats, 'GET me', { headers: { authorization: 'Basic YTpi' } })
    assert.deepEqual([basic.status, basic.json.user], [200, null])
  })

  test('names all faults of a request at once, each where it is', async () => {
    const refused = await ask5(app, cats, 'POST keys?a=1&a=2', {
      key,
      body: { scope: 'all', allowed_origins: ['https://a.test', 'a.test/b'], colour: 'red' },
      headers: { 'idempotency-key': 'two words' },
    })
    assert.deepEqual(problem(refused), [400, 'invalid'])
    const places = refused.json.errors.map(({ detail, ...place }: Record<string, string>) => place)
    for (const place of [
      { parameter: 'a' },
      { header: 'Idempotency-Key' },
      { pointer: '#/name' },
      { pointer: '#/scope' },
      { pointer: '#/allowed_origins/1' },
      { pointer: '#/colour' },
    ])
      assert.ok(
        places.some((each: object) => JSON.stringify(each) === JSON.stringify(place)),
        JSON.stringify(place),
      )
    assert.equal(refused.json.error.list.length, refused.json.errors.length)
  })

  test('is strict about queries and bodies', async () => {
    for (const query of ['limit=0', 'limit=201', 'limit=', 'limit=1&limit=2', 'limit=%ff', 'page=2']) {
      assert.deepEqual(problem(await ask5(app, cats, `GET keys?${query}`, { key })), [400, 'invalid'], query)
    }
    const doubled = await ask5(app, cats, 'POST keys', { key, body: '{"name":"a","name":"b"}' })
    assert.deepEqual(problem(doubled), [400, 'invalid'])
    const typed = { 'content-type': 'text/plain' }
    const typedAs = await ask5(app, cats, 'POST keys', { key, body: '{"name":"a"}', headers: typed })
    assert.deepEqual(problem(typedAs), [415, 'unsupported-media-type'])
    const long = await ask5(app, cats, 'POST keys', { key, body: `{"name":"${'a'.repeat(1_048_576)}"}` })
    assert.deepEqual(problem(long), [413, 'too-large'])
  })

  test('refuses an unknown host as a problem too', async () => {
    assert.deepEqual(problem(await ask5(app, { hostname: 'dogs.test' }, 'GET me')), [404, 'not-found'])
  })

  test('a browser gets a problem, not a page', async () => {
    const refused = await ask5(app, cats, 'GET none', { headers: { accept: 'text/html' } })
    assert.deepEqual(problem(refused), [404, 'not-found'])
  })
})
