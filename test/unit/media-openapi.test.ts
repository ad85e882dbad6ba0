import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import * as JsonSchema from 'typebox/schema'
import { describe, test } from 'vitest'
import { mediaApi } from '../../src/api/media-v5/description.ts'
import { openApiOf } from '../../src/http/openapi/openapi.ts'
import { problemCodes } from '../../src/http/responses/problem-codes.ts'
import { mediaRoutes } from '../../src/routes.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { unboundedParameters } from '../support/project/openapi-bounds.ts'
import { unboundedFields } from '../support/project/openapi-calls.ts'

const document = JSON.parse(JSON.stringify(openApiOf(mediaRoutes, mediaApi)))
const page = await readFile(new URL('../../docs/api-media.md', import.meta.url), 'utf8')

interface Described {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  responses: Record<string, { content?: Record<string, { schema: object; example?: object }> }>
}

const operations = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods as Record<string, Described>),
)

test('every parameter of a query has a bound', () => {
  assert.deepEqual(unboundedParameters(document), [])
})

test('every route of a site’s own API is described', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(described.sort(), mediaRoutes.map(({ method, path }) => `${method} ${path}`).sort())
  const ids = operations.map(({ operationId }) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.includes('postKeysByIdRotate'))
})

test('its chapters, schemes and components are all used and all there', () => {
  const text = JSON.stringify(document)
  const references = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name))
  const { schemas, parameters, headers, securitySchemes } = document.components
  const named = [
    ...Object.keys(schemas).map((name) => `schemas/${name}`),
    ...Object.keys(parameters).map((name) => `parameters/${name}`),
    ...Object.keys(headers).map((name) => `headers/${name}`),
  ]
  assert.deepEqual([...references].sort(), named.sort())
  for (const { tags, security } of operations) {
    assert.ok(document.tags.some(({ name }: { name: string }) => name === tags[0]))
    for (const choice of security)
      for (const name of Object.keys(choice)) assert.ok(securitySchemes[name], name)
  }
})

describe.for(operations)('$operationId', ({ responses }) => {
  test('describes its refusals as problems, each with an example that fits', () => {
    for (const [status, { content }] of Object.entries(responses)) {
      // These two are sent before the address is known.
      if (Number(status) < 400 || status === '408' || status === '431') continue
      const { example } = content?.['application/problem+json'] ?? {}
      assert.ok(example, status)
      const schema = { ...document.components.schemas.Problem, components: document.components }
      assert.ok(JsonSchema.Check(schema, example), status)
      assert.equal((example as { status: number }).status, Number(status))
    }
  })
})

test('every header that the server reads is a parameter of its calls', () => {
  const headersOf = (method: string, path: string): string[] =>
    (document.paths[`/api/5/${path}`][method].parameters ?? [])
      .map(({ $ref = '' }: { $ref?: string }) => document.components.parameters[$ref.split('/').at(-1) ?? ''])
      .flatMap((parameter?: { name: string }) => parameter?.name ?? [])
  const versioned = ['albums/{id}', 'files/{id}', 'pages/{id}', 'users/{id}']
  for (const path of versioned) {
    assert.deepEqual(headersOf('get', path), ['X-Share', 'If-None-Match'])
    for (const method of ['patch', 'delete'])
      assert.deepEqual(headersOf(method, path), ['X-Share', 'If-Match'])
    const { get, patch } = document.paths[`/api/5/${path}`]
    assert.ok(get.responses[304] && get.responses[200].headers.ETag && patch.responses[412], path)
  }
  assert.deepEqual(headersOf('put', 'files/{id}/content'), ['X-Share', 'Idempotency-Key', 'If-Match'])
  assert.deepEqual(headersOf('put', 'files/{id}/like'), ['X-Share'])
  const tus = ['X-Share', 'Tus-Resumable']
  assert.deepEqual(headersOf('head', 'uploads/{id}'), tus)
  assert.deepEqual(headersOf('patch', 'uploads/{id}'), [...tus, 'Upload-Offset', 'Upload-Checksum'])
  const { IdempotencyKey } = document.components.parameters
  assert.deepEqual(IdempotencyKey.schema, {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[!-~]+$',
  })
})

test('a share is a way to authenticate, and no upload is without one', () => {
  const { share } = document.components.securitySchemes
  assert.deepEqual([share.type, share.in, share.name], ['apiKey', 'header', 'X-Share'])
  const uploads = operations.filter(({ tags }) => tags[0] === 'Resumable uploads')
  for (const { operationId, security } of uploads)
    assert.ok(security.length > 0 && security.every((choice) => Object.keys(choice).length > 0), operationId)
})

test('docs/api-media.md names every call, and no other', () => {
  const named = [...page.matchAll(/^\| `(GET|HEAD|POST|PATCH|DELETE|PUT) (\/[^\s`]*)` \|/gm)]
  assert.deepEqual(
    named.map(([, method, path]) => `${method} ${path}`).sort(),
    mediaRoutes.map(({ method, path }) => `${method} ${path}`).sort(),
  )
})

test('docs/api-media.md names every code of a problem', () => {
  for (const code of Object.keys(problemCodes)) assert.ok(page.includes(`\`${code}\``), code)
})

test('a site sends the document, and its answers fit it', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const sent = await ask5(app, cats, 'GET openapi.json')
  const { servers, ...rest } = sent.json
  assert.deepEqual(rest, document)
  assert.deepEqual(servers, [{ url: `http://${cats.hostname}:${app.port}` }])
  const key = await keyOf(app, cats, 'write')
  const schemaOf = (name: string) => document.components.schemas[name]
  const me = await ask5(app, cats, 'GET me', { key })
  assert.ok(JsonSchema.Check(schemaOf('Me'), me.json), me.text)
  const made = await ask5(app, cats, 'POST keys', { key, body: { name: 'phone' } })
  assert.ok(JsonSchema.Check(schemaOf('CreatedKey'), made.json), made.text)
  const refused = await ask5(app, cats, 'POST keys', { key, body: {} })
  assert.ok(JsonSchema.Check(schemaOf('Problem'), refused.json), refused.text)
})

test('every text, list and number of a request has a bound', () => {
  assert.deepEqual(unboundedFields(document), [])
})
