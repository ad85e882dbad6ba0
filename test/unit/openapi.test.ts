import assert from 'node:assert/strict'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import * as JsonSchema from 'typebox/schema'
import { describe, test } from 'vitest'
import type { DescribedResponse, Endpoint } from '../../src/http/endpoint.ts'
import { statusTexts } from '../../src/http/responses/errors.ts'
import { installationDocument, routes, siteRoutes } from '../../src/routes.ts'
import { startTestApp } from '../support/harness.ts'
import { unboundedParameters } from '../support/project/openapi-bounds.ts'
import { unboundedFields } from '../support/project/openapi-calls.ts'
import { until } from '../support/until.ts'

type Access = { 'x-access': string }
type Operation = OpenApi.OperationObject<Access>

/** As a client reads it: through JSON, typed by the specification and not by our own interfaces. */
const document: OpenApi.Document<Access> = JSON.parse(JSON.stringify(installationDocument()))
const { paths = {}, components = {}, tags = [] } = document

interface Described {
  name: string
  path: string
  operation: Operation
}

const operations: Described[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods ?? {}).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation: operation as Operation,
  })),
)

test('every route of the control plane and of a site is described, and nothing else', () => {
  const expected = [...routes, ...siteRoutes].map(
    ({ method, path }) => `${method} ${path.replace('*', '{path}')}`,
  )
  assert.deepEqual(operations.map(({ name }) => name).sort(), expected.sort())
  assert.match(document.openapi, /^3\.1\.\d+$/)
})

test('every parameter of a query has a bound', () => {
  assert.deepEqual(unboundedParameters(document), [])
})

test('every text, list and number of a request has a bound', () => {
  assert.deepEqual(unboundedFields(document), [])
})

test('every operation has a name of its own that a generated client can use', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id ?? '', /^[a-z][A-Za-z0-9]+$/)
  assert.ok(ids.includes('patchTenantsByIdUserPasswordReset'))
})

test('every operation says who may call it, as its route does', () => {
  const words = {
    control: ['open', 'local', 'local-key', 'local-or-key', 'signed'],
    site: ['anyone', 'viewer', 'album-password', 'uploader', 'link-token'],
  }
  for (const { name, path, operation } of operations) {
    const known = path.startsWith('/_/') ? words.control : words.site
    assert.ok(known.includes(operation['x-access']), `${name}: ${operation['x-access']}`)
  }
  const accessOf = (path: string, method: 'get' | 'post' | 'delete') => paths[path]?.[method]?.['x-access']
  assert.equal(accessOf('/api/1/upload', 'post'), 'uploader')
  assert.equal(accessOf('/images/{path}', 'get'), 'anyone')
  assert.equal(accessOf('/image/{name}', 'get'), 'viewer')
  assert.equal(accessOf('/image/{name}', 'post'), 'album-password')
  assert.equal(accessOf('/video/{id}/delete/{token}', 'delete'), 'link-token')
})

test('every operation belongs to a chapter, and every chapter has operations', () => {
  const used = operations.flatMap(({ operation }) => operation.tags ?? [])
  const named = tags.map((tag) => tag.name)
  assert.deepEqual(new Set(used), new Set(named))
  assert.equal(used.length, operations.length)
})

test('every reference leads somewhere, and every component is used', () => {
  const text = JSON.stringify(document)
  const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference))
  for (const reference of references) assert.ok(lookUp(reference), reference)
  for (const kind of ['schemas', 'parameters', 'headers'] as const) {
    for (const name of Object.keys(components[kind] ?? {}))
      assert.ok(references.has(`#/components/${kind}/${name}`), name)
  }
})

test('tenants, plans, errors and uploaded files are spelled out once', () => {
  const text = JSON.stringify(document)
  for (const field of ['"list":{', '"last_job_at":{']) assert.equal(text.split(field).length - 1, 1, field)
  assert.deepEqual(Object.keys(components.schemas ?? {}), ['Tenant', 'Plan', 'Error', 'UploadedFile'])
})

test('security names schemes that are described', () => {
  const schemes = components.securitySchemes ?? {}
  const headers = { key: 'X-API-Key', signature: 'X-Signature' }
  for (const [scheme, name] of Object.entries(headers))
    assert.equal((schemes[scheme] as OpenApi.ApiKeySecurityScheme).name, name)
  const upload = paths['/api/1/upload']?.post
  assert.deepEqual(upload?.security, [{ uploadKey: [] }, { uploadKeyInQuery: [] }])
  for (const { name, operation } of operations) {
    assert.ok(operation.security, name)
    for (const choice of operation.security)
      for (const scheme of Object.keys(choice)) assert.ok(schemes[scheme], name)
  }
})

test('a call describes the headers against replay and repetition', () => {
  for (const { name, operation } of operations) {
    const headers = parametersOf(operation).filter((parameter) => parameter.in === 'header')
    const isOnce = ['POST /_/api/4/tenants', 'POST /api/1/upload'].includes(name)
    const names = [
      ...(operation['x-access'] === 'signed' ? ['X-Signature-Version', 'X-Timestamp', 'X-Nonce'] : []),
      ...(isOnce ? ['Idempotency-Key'] : []),
    ]
    assert.deepEqual(
      headers.map((header) => header.name),
      names,
      name,
    )
    for (const header of headers) assert.equal(header.required, false)
  }
})

describe.for(operations)('$name', ({ path, operation }) => {
  test('has a summary, and a description of every parameter in its address', () => {
    assert.ok(operation.summary)
    const parameters = parametersOf(operation)
    for (const { description, schema } of parameters) assert.ok(description && schema)
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      inPath.map(({ name, required }) => ({ name, required })),
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, required: true })),
    )
  })

  test('describes each field of its body and of its answers', () => {
    const schemas = contentsOf(operation).map(({ schema }) => whole(schema))
    for (const [field, schema] of schemas.flatMap((schema) => leavesOf(schema)))
      assert.ok(schema.description, field)
  })

  test('has examples that fit their schemas', () => {
    for (const { schema, example } of contentsOf(operation)) {
      if (example === undefined) continue
      assert.ok(JsonSchema.Check(whole(schema), example), JSON.stringify(example))
    }
  })

  test('answers with statuses that we know, and refuses in the one envelope', () => {
    const responses = operation.responses as Record<number, OpenApi.ResponseObject>
    const statuses = Object.keys(responses).map(Number)
    const isRefusedAlways = path === '/api/{version}/{action}'
    assert.equal(
      statuses.some((status) => status < 400),
      !isRefusedAlways,
    )
    for (const status of statuses) {
      assert.ok(responses[status]?.description)
      // RFC 9110 needs no body for these, and a failed condition on a file has none.
      if (status < 400 || status === 412 || status === 416) continue
      assert.ok(statusTexts[status], `${status}`)
      const { schema, example } = responses[status]?.content?.['application/json'] ?? {}
      assert.equal((schema as OpenApi.ReferenceObject).$ref, '#/components/schemas/Error')
      assert.equal(example.status_code, status)
      assert.equal(example.status_txt, statusTexts[status])
    }
  })
})

test('a body is required where an empty object is refused', () => {
  const required = operations.flatMap(({ name, operation }) =>
    operation.requestBody ? [[name, (operation.requestBody as OpenApi.RequestBodyObject).required]] : [],
  )
  const tenants = '/_/api/4/tenants'
  assert.deepEqual(Object.fromEntries(required), {
    // Each field may be left out.
    'POST /_/preferences': false,
    // All parameters of an upload may be in the query.
    'POST /api/1/upload': false,
    'POST /1/upload': false,
    'POST /image/{name}': true,
    'POST /share/{token}': true,
    'POST /share/{token}/{id}': true,
    'POST /share/{token}/files/{id}/remove': true,
    'POST /share/{token}/files': true,
    'POST /video/{name}': true,
    [`POST ${tenants}`]: true,
    [`PATCH ${tenants}/{id}`]: true,
    [`DELETE ${tenants}/{id}`]: false,
    [`POST ${tenants}/{id}/preview`]: true,
    [`POST ${tenants}/{id}/export`]: false,
    [`POST ${tenants}/{id}/install`]: true,
    [`PATCH ${tenants}/{id}/user-password-reset`]: true,
    [`POST ${tenants}-plans`]: true,
    [`PATCH ${tenants}-plans/{id}`]: true,
    [`POST ${tenants}-plans/{id}/preview`]: true,
  })
})

test('the query of the certificate question is described', () => {
  const [domain] = parametersOf(paths['/_/tls/ask']?.get)
  assert.deepEqual(
    { name: domain?.name, in: domain?.in, required: domain?.required },
    { name: 'domain', in: 'query', required: true },
  )
})

test('what is read without a body is answered in the described type and form', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await app.call('POST', 'tenants-plans', { id: 'cats' })
  const { json: exported } = await app.call('POST', 'tenants/cats/export', {})
  await until(
    async () => (await app.call('GET', `tenants/cats/exports/${exported.id}`)).json.state === 'done',
    'the export is done',
  )
  const readable = routes.filter(({ method }) => method === 'GET')
  for (const { path, endpoint } of readable) {
    const query = endpoint.query && 'domain' in endpoint.query.properties ? `?domain=${cats.hostname}` : ''
    const headers = { 'x-api-key': app.key, 'x-signature': app.sign('') }
    const answer = await app.send(
      'GET',
      path.replace('{id}', 'cats').replace('{export}', exported.id) + query,
      {
        headers,
      },
    )
    const [status, described] = goodAnswerOf(endpoint)
    assert.equal(answer.status, status, path)
    const type = described.contentType ?? 'application/json'
    assert.equal(answer.headers['content-type']?.split(';')[0], type, path)
    const bodies =
      type === 'application/x-ndjson'
        ? answer.text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [type === 'application/json' ? answer.json : answer.text]
    for (const body of bodies) assert.ok(JsonSchema.Check(described.schema as JsonSchema.XSchema, body), path)
  }
})

test('the examples work when they are sent, in the order of a tenant’s life', async () => {
  await using app = await startTestApp()
  const life = [
    'POST tenants-plans',
    'PATCH tenants-plans/{id}',
    'POST tenants',
    'POST tenants/{id}/install',
    'PATCH tenants/{id}/user-password-reset',
    'PATCH tenants/{id}',
    'DELETE tenants/{id}',
  ]
  for (const step of life) {
    const [method = '', path = ''] = step.split(' ')
    const route = routes.find((each) => each.method === method && each.path === `/_/api/4/${path}`)
    assert.ok(route, step)
    const id = path.startsWith('tenants-plans') ? 'small' : 'cats'
    const answer = await app.call(method, path.replace('{id}', id), route.endpoint.bodyExample)
    const [status, { schema }] = goodAnswerOf(route.endpoint)
    assert.equal(answer.status, status, `${step}: ${answer.text}`)
    if (schema) assert.ok(JsonSchema.Check(schema as JsonSchema.XSchema, answer.json), step)
  }
})

function goodAnswerOf({ responses }: Endpoint): [number, DescribedResponse] {
  const good = Object.entries(responses).find(([status]) => Number(status) < 300)
  assert.ok(good)
  return [Number(good[0]), good[1]]
}

const lookUp = (reference: string) =>
  reference
    .split('/')
    .slice(1)
    .reduce<any>((part, name) => part?.[name], document)

const parametersOf = (operation: OpenApi.OperationObject | undefined): OpenApi.ParameterObject[] =>
  (operation?.parameters ?? []).map((parameter) => ('$ref' in parameter ? lookUp(parameter.$ref) : parameter))

const contentsOf = ({ requestBody, responses }: Operation): OpenApi.MediaTypeObject[] =>
  [requestBody as OpenApi.RequestBodyObject | undefined, ...Object.values(responses ?? {})].flatMap((part) =>
    Object.values((part as OpenApi.ResponseObject | undefined)?.content ?? {}),
  )

/** A schema with what it refers to in place. */
function whole(schema: any): any {
  if (Array.isArray(schema)) return schema.map(whole)
  if (typeof schema !== 'object' || schema === null) return schema
  if (schema.$ref) return whole(lookUp(schema.$ref))
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, whole(part)]))
}

/** The fields that hold no others, with what is said of them or of the value they are beside null. */
function leavesOf(schema: any, name = ''): [string, any][] {
  const values = [schema.items, ...Object.values(schema.patternProperties ?? {})].filter(Boolean)
  const inner = [
    ...Object.entries<any>(schema.properties ?? {}).flatMap(([field, part]) =>
      leavesOf(part, `${name}.${field}`),
    ),
    ...values.filter((value: any) => value.properties).flatMap((value) => leavesOf(value, `${name}[]`)),
  ]
  if (inner.length > 0 || name === '') return inner
  return [[name, schema.anyOf?.find((part: any) => part.description) ?? schema]]
}
