import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { picture, statsOf, type TestTenant, upload, uploaded } from '../support/uploads.ts'

describe('a page of another site', () => {
  let app: TestApp
  let cats: TestTenant
  const origin = { origin: 'https://elsewhere.test' }

  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const preflight = async (url: string, method: string) => {
    const asking = { ...origin, 'access-control-request-method': method }
    const { status, headers } = await ask(app, url, asking, 'OPTIONS')
    assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*'])
    assert.match(headers['access-control-allow-methods'] ?? '', new RegExp(`\\b${method}\\b`))
    assert.match(headers['access-control-allow-headers'] ?? '', /content-type/)
  }

  test('may use a delete link, and read what came of it', async () => {
    for (const method of ['DELETE', 'POST', 'GET']) {
      const { delete_url: url } = await uploaded(app, cats, { file: await picture({ seed: method.length }) })
      await preflight(url, method)
      for (const status of [200, 404]) {
        const answer = await ask(app, url, { ...origin, accept: 'application/json' }, method)
        assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [status, '*'])
        assert.equal(answer.headers['access-control-allow-credentials'], undefined)
      }
    }
  })

  test('may read oEmbed, and why it is refused', async () => {
    const { url_viewer: viewer } = await uploaded(app, cats, { file: await picture({ seed: 9 }) })
    const base = `${new URL(viewer).origin}/oembed?url=`
    await preflight(base, 'GET')
    for (const [url, status] of [
      [base + encodeURIComponent(viewer), 200],
      [`${base}nothing`, 404],
      [base, 400],
    ] as const) {
      const { status: answered, headers } = await ask(app, url, origin)
      assert.deepEqual([answered, headers['access-control-allow-origin']], [status, '*'])
    }
  })

  test('may not read viewer pages or the management API', async () => {
    const { url_viewer: viewer } = await uploaded(app, cats, { file: await picture({ seed: 10 }) })
    for (const url of [viewer, `${new URL(viewer).origin}/_/api/4/tenants`]) {
      assert.equal((await ask(app, url, origin)).headers['access-control-allow-origin'], undefined)
    }
  })
})

test('a prefetch stores nothing', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const source = (await picture({ seed: 2 })).toString('base64')
  for (const headers of [
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ] as Record<string, string>[]) {
    const { status, json } = await upload(app, cats, { method: 'GET', query: { source }, headers })
    assert.deepEqual([status, json.error.code], [403, 403])
  }
  assert.equal((await statsOf(app, cats)).files, 0)
  assert.equal((await upload(app, cats, { method: 'GET', query: { source } })).status, 200)
})
