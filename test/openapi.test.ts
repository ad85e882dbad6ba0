import assert from 'node:assert/strict'
import * as JsonSchema from 'typebox/schema'
import { describe, test } from 'vitest'
import type { Answer, Endpoint } from '../src/http/endpoint.ts'
import { statusTexts } from '../src/http/errors.ts'
import { openApiOf } from '../src/http/openapi.ts'
import { routes } from '../src/http/routes.ts'
import { startTestApp } from './harness.ts'

// As a client reads it: what JSON cannot say is gone.
const document = JSON.parse(JSON.stringify(openApiOf(routes)))

interface Described {
  name: string
  path: string
  operation: any
}

const operations: Described[] = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
)

test('every route is described, and nothing else', () => {
  const expected = routes.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(operations.map(({ name }) => name).sort(), expected.sort())
  assert.match(document.openapi, /^3\.1\.\d+$/)
})

test('every operation has a name of its own that a generated client can use', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/)
  assert.ok(ids.includes('patchTenantsByIdUserPasswordReset'))
})

test('every operation belongs to a chapter, and every chapter has operations', () => {
  const used = operations.flatMap(({ operation }) => operation.tags)
  const named = document.tags.map((tag: any) => tag.name)
  assert.deepEqual(new Set(used), new Set(named))
  assert.equal(used.length, operations.length)
})

test('every reference leads somewhere, and every component is used', () => {
  const text = JSON.stringify(document)
  const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference))
  for (const reference of references) assert.ok(lookUp(reference), reference)
  for (const kind of ['schemas', 'parameters']) {
    for (const name of Object.keys(document.components[kind]))
      assert.ok(references.has(`#/components/${kind}/${name}`), name)
  }
})

test('tenants, plans and errors are spelled out once', () => {
  const spelled = JSON.stringify(document).split('"status_txt":{').length - 1
  assert.equal(spelled, 1)
  assert.deepEqual(Object.keys(document.components.schemas), ['Tenant', 'Plan', 'Error'])
})

test('security names schemes that are described', () => {
  const schemes = document.components.securitySchemes
  assert.equal(schemes.key.name, 'X-API-Key')
  assert.equal(schemes.signature.name, 'X-Signature')
  for (const { name, operation } of operations) {
    for (const choice of operation.security)
      for (const scheme of Object.keys(choice)) assert.ok(schemes[scheme], name)
  }
})

test('a signed call tells of the headers against replay', () => {
  for (const { name, operation } of operations) {
    const headers = parametersOf(operation).filter((parameter) => parameter.in === 'header')
    const names = operation['x-access'] === 'signed' ? ['X-Signature-Version', 'X-Timestamp', 'X-Nonce'] : []
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
    const statuses = Object.keys(operation.responses).map(Number)
    assert.equal(statuses.filter((status) => status >= 200 && status < 300).length, 1)
    for (const status of statuses.filter((status) => status >= 300)) {
      assert.ok(statusTexts[status], `${status}`)
      const { description, content } = operation.responses[status]
      assert.ok(description)
      assert.equal(content['application/json'].schema.$ref, '#/components/schemas/Error')
      assert.equal(content['application/json'].example.status_code, status)
      assert.equal(content['application/json'].example.status_txt, statusTexts[status])
    }
  })
})

test('a body is required where an empty object is refused', () => {
  const required = operations.flatMap(({ name, operation }) =>
    operation.requestBody ? [[name, operation.requestBody.required]] : [],
  )
  const tenants = '/_/api/4/tenants'
  assert.deepEqual(Object.fromEntries(required), {
    [`POST ${tenants}`]: true,
    [`PATCH ${tenants}/{id}`]: true,
    [`DELETE ${tenants}/{id}`]: false,
    [`POST ${tenants}/{id}/install`]: true,
    [`PATCH ${tenants}/{id}/user-password-reset`]: true,
    [`POST ${tenants}-plans`]: true,
    [`PATCH ${tenants}-plans/{id}`]: true,
  })
})

test('the query of the certificate question is described', () => {
  const [domain] = parametersOf(document.paths['/_/tls/ask'].get)
  assert.deepEqual(
    { name: domain.name, in: domain.in, required: domain.required },
    { name: 'domain', in: 'query', required: true },
  )
})

test('what is read without a body is answered in the described type and form', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await app.call('POST', 'tenants-plans', { id: 'cats' })
  const readable = routes.filter(({ method }) => method === 'GET')
  for (const { path, endpoint } of readable) {
    const query = endpoint.query ? `?domain=${cats.hostname}` : ''
    const headers = { 'x-api-key': app.key, 'x-signature': app.sign('') }
    const answer = await app.send('GET', path.replace('{id}', 'cats') + query, { headers })
    const [status, described] = goodAnswerOf(endpoint)
    assert.equal(answer.status, status, path)
    const type = described.contentType ?? 'application/json'
    assert.equal(answer.headers['content-type']?.split(';')[0], type, path)
    const body = type === 'application/json' ? answer.json : answer.text
    assert.ok(JsonSchema.Check(described.schema as JsonSchema.XSchema, body), path)
  }
})

test('the examples work when they are sent, in the order of a tenant’s life', async () => {
  await using app = await startTestApp()
  const life = [
    ...['POST tenants-plans', 'PATCH tenants-plans/{id}', 'POST tenants', 'POST tenants/{id}/install'],
    ...['PATCH tenants/{id}/user-password-reset', 'PATCH tenants/{id}', 'DELETE tenants/{id}'],
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

function goodAnswerOf({ answers }: Endpoint): [number, Answer] {
  const good = Object.entries(answers).find(([status]) => Number(status) < 300)
  assert.ok(good)
  return [Number(good[0]), good[1]]
}

const lookUp = (reference: string) =>
  reference
    .split('/')
    .slice(1)
    .reduce((part, name) => part?.[name], document)

const parametersOf = (operation: any): any[] =>
  (operation.parameters ?? []).map((parameter: any) => (parameter.$ref ? lookUp(parameter.$ref) : parameter))

const contentsOf = ({ requestBody, responses }: any): any[] =>
  [requestBody, ...Object.values(responses)].flatMap((part: any) => Object.values(part?.content ?? {}))

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
