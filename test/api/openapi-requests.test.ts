import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as JsonSchema from 'typebox/schema'
import { afterAll, describe, test } from 'vitest'
import { created, metadataOf } from '../support/clients/resumable.ts'
import { type Answer, startTestApp } from '../support/harness.ts'
import { ask5, keepsConnections, keptConnections, keyOf } from '../support/media.ts'
import { allowedBy, type DescribedCall, describedCalls, outside } from '../support/project/openapi-calls.ts'
import { picture, uploaded } from '../support/uploads.ts'

const app = await startTestApp({
  environment: {
    ...keepsConnections,
    SERVICE_RATE_READS: '0',
    SERVICE_RATE_WRITES: '0',
    SERVICE_RATE_SEARCH: '0',
  },
})
afterAll(() => app[Symbol.asyncDispose]())
const cats = await app.tenant('cats')
const key = await keyOf(app, cats, 'admin')
const kept = keptConnections(app)
afterAll(() => kept[Symbol.dispose]())

const document = (await ask5(app, cats, 'GET openapi.json')).json
const calls = describedCalls(document)
const bytes = await picture({})

/** What the addresses name: one of each thing. */
const things = await (async () => {
  const make = async (call: string, body: object) => {
    const { status, json, text } = await ask5(app, cats, call, { key, body })
    assert.equal(status, 201, text)
    return json
  }
  const { id_encoded: files } = await uploaded(app, cats, { fields: { tags: 'kitten' } })
  const { id: albums } = await make('POST albums', { title: 'Kittens' })
  const { id: shares, url } = await make(`POST albums/${albums}/shares`, { allow_upload: true })
  const { id: users } = await make('POST users', {
    username: 'bob',
    email: 'bob@example.com',
    password: 'a long password',
  })
  const { id: pages } = await make('POST pages', { url_key: 'imprint', title: 'Imprint', body: 'Ada' })
  const { id: keys } = await make('POST keys', { name: 'phone' })
  const { id: categories } = await make('POST categories', { name: 'Street' })
  const { id: sessions } = await make('POST sessions', { login: 'ada', password: 'a long password' })
  const uploads = await created([app, cats], { key, length: 20 })
  return {
    files,
    albums,
    shares,
    users,
    pages,
    keys,
    categories,
    sessions,
    uploads,
    tags: 'kitten',
    token: String(url).split('/').at(-1) ?? '',
  }
})()

interface Given {
  query?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
  body?: unknown
}

const pathOf = ({ path }: DescribedCall) =>
  path
    .replace('/api/5/', '')
    .replace('{token}', things.token)
    .replace(/^(\w+)\/\{\w+\}/, (_, name: keyof typeof things) => `${name}/${things[name]}`)

/** Sends a call as its document says. */
function send(call: DescribedCall, { query = {}, headers = {}, body }: Given): Promise<Answer> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const isForm = 'application/octet-stream' in call.bodies
  const isTus = 'application/offset+octet-stream' in call.bodies
  const sent = isForm ? bytes : isTus ? Buffer.from('x') : body === undefined ? '' : JSON.stringify(body)
  const type = isForm ? 'image/png' : isTus ? 'application/offset+octet-stream' : 'application/json'
  return kept.send(call.method, `/api/5/${pathOf(call)}${search.size > 0 ? `?${search}` : ''}`, {
    bytes: sent,
    headers: {
      host: cats.hostname,
      'x-api-key': key,
      ...(sent.length > 0 && { 'content-type': type }),
      ...headers,
    },
  })
}

/** Headers of HTTP itself, of caches and of browsers' rules. */
const plainHeaders =
  /^(?:date|connection|keep-alive|content-(?:type|length|security-policy)|transfer-encoding|cache-control|vary|access-control-.*|x-content-type-options|referrer-policy)$/

/** The answer is one that the document lists for its call: status, headers and body. */
function assertListed(
  { id, method, responses }: DescribedCall,
  { status, headers, json, text }: Answer,
): void {
  const response = responses[status]
  assert.ok(response, `${id} answered ${status}: ${text}`)
  const listed = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()))
  for (const name of Object.keys(headers))
    assert.ok(plainHeaders.test(name) || listed.has(name), `${id} ${status} sent the header ${name}`)
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (method === 'HEAD' || text === '') return
  const { schema } = response.content?.[type] ?? {}
  assert.ok(schema, `${id} ${status} answered in ${type}`)
  const values =
    type === 'application/x-ndjson'
      ? text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [type.endsWith('json') ? json : text]
  for (const value of values) {
    const [isValid, faults] = JsonSchema.Errors({ ...schema, components: document.components }, value)
    assert.ok(isValid, `${id} ${status}: ${JSON.stringify(faults)} ${text.slice(0, 2_000)}`)
  }
}

/**
 * Rules that no schema can say, by the last name of a field: what the refusal says, and the words of the description that tell
 * it to a reader.
 */
const documentedRules: Readonly<Record<string, [refused: RegExp, documented: RegExp]>> = {
  cursor: [/is not valid here/, /of the page before/],
  q: [/./, /at most 200 characters and 16 terms|begins|`q` of the list/],
  sort: [/needs/, /with `q` `relevance`.*`trashed=true`/s],
  user_id: [/needs a key/, /`me`/],
  files: [/must be keep, trash/, /id of another user/],
  album_id: [/album of/, /album of/],
  parent_id: [/album of/, /album of/],
  cover_file_id: [/in this album/, /in the album/],
  category_id: [/category of/, /category of/],
  password: [/must be given|must not be/, /for the privacy `password`|10,000 most common/i],
  ids: [/file in this album|given twice|entries/, /of the album|each once/],
  before: [/in this album|one of ids/, /none of `ids`/],
  max_uploads: [/with allow_upload/, /with `allow_upload`/],
  message: [/with allow_upload/, /with `allow_upload`/],
  asks_name: [/with allow_upload/, /with `allow_upload`/],
  allow_upload: [/share of a file/, /for albums/],
  current_password: [/is not the password/, /current password/],
  set: [/required|only|at least one/, /which need one/],
  reason: [/only for/, /for `reject` and `trash`/],
  text: [/because the reason is other/, /needed for `other`/],
  tags: [
    /together|tags of one file|1 to 32 characters/,
    /not together with `tags`|each of 1 to 32|at most 32/,
  ],
  urls: [/must be/, /addresses of files/],
  expires_at: [/in the future/, /in the future/],
  timezone: [/time zone/, /time zone/],
  home: [/page/, /page/],
  name: [/name in the path/, /name in the path/],
  '#': [/at least one of width/, /at least one option/],
}

/** Whether a refusal is by such a rule. */
function isDocumented(call: DescribedCall, { name, detail }: { name: string; detail: string }): boolean {
  const field =
    name
      .split('/')
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? ''
  const [refused, documented] = documentedRules[field] ?? []
  return Boolean(refused?.test(detail) && documented?.test(JSON.stringify([call.parameters, call.bodies])))
}

const faultsOf = ({ json }: Answer): { name: string; detail: string }[] =>
  (json?.errors ?? []).map(
    (fault: { pointer?: string; parameter?: string; header?: string; detail: string }) => ({
      name: fault.parameter ?? fault.header ?? String(fault.pointer).replace('#/', ''),
      detail: fault.detail,
    }),
  )

const queryOf = ({ parameters }: DescribedCall) => parameters.filter((each) => each.in === 'query')

/** Headers that a call cannot do without, with values that fit it. */
const neededHeaders = ({ parameters }: DescribedCall): Record<string, string> => {
  const values: Record<string, string> = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '20',
    'Upload-Offset': '0',
    'X-HTTP-Method-Override': 'HEAD',
  }
  return Object.fromEntries(
    parameters
      .filter((each) => each.in === 'header' && each.required)
      .map(({ name }) => [name, values[name] ?? '']),
  )
}

/** What changes the things themselves comes last. */
const ordered = [...calls].sort((a, b) => rank(a) - rank(b))

function rank({ method, id }: DescribedCall): number {
  if (id === 'patchSettings') return 2
  return method === 'DELETE' || id.endsWith('Rotate') ? 3 : 1
}

describe.for(ordered)('$id', (call) => {
  const json = call.bodies['application/json']

  test('accepts what its description allows, and answers as it says', async () => {
    const query = fc.record(
      Object.fromEntries(queryOf(call).map(({ name, schema }) => [name, allowedBy(schema)])),
      { requiredKeys: queryOf(call).flatMap(({ name, required }) => (required ? [name] : [])) },
    )
    const given = fc.record({ query, body: json ? allowedBy(json.schema) : fc.constant(undefined) })
    await fc.assert(
      fc.asyncProperty(given, async (request) => {
        const answer = await send(call, { ...request, headers: neededHeaders(call) })
        assertListed(call, answer)
        if (answer.status !== 400) return
        const undocumented = faultsOf(answer).filter((fault) => !isDocumented(call, fault))
        assert.deepEqual(undocumented, [], `${JSON.stringify(request)}: ${answer.text}`)
      }),
      { numRuns: 12, interruptAfterTimeLimit: 20_000 },
    )
  }, 60_000)

  test('refuses what lies just outside, and names it', async () => {
    for (const { name, schema } of queryOf(call))
      for (const [, value] of outside(schema)) {
        // No address is that long.
        if (String(value).length > 15_000) continue
        const answer = await send(call, { query: { [name]: value }, headers: neededHeaders(call) })
        assertListed(call, answer)
        assert.equal(answer.status, 400, `${name}=${String(value).slice(0, 90)}: ${answer.text}`)
        assert.ok(
          faultsOf(answer).some((fault) => fault.name === name),
          `${name}: ${answer.text}`,
        )
      }
    for (const [path, value] of json ? outside(json.schema) : []) {
      const answer = await send(call, { body: withValue(json?.example ?? {}, path, value) })
      assertListed(call, answer)
      const shown = `${path.join('/')} = ${JSON.stringify(value).slice(0, 90)}: ${answer.text}`
      assert.equal(answer.status, 400, shown)
      assert.ok(
        faultsOf(answer).some(({ name }) => name === path.join('/')),
        shown,
      )
    }
    const isOnce = call.parameters.some(({ name }) => name === 'Idempotency-Key')
    for (const value of isOnce ? ['', 'x'.repeat(256), 'a b'] : []) {
      const answer = await send(call, { headers: { ...neededHeaders(call), 'Idempotency-Key': value } })
      assertListed(call, answer)
      assert.equal(answer.status, 400, answer.text)
      assert.ok(
        faultsOf(answer).some(({ name }) => name === 'Idempotency-Key'),
        answer.text,
      )
    }
  }, 60_000)
})

/** A copy with one value in place of another; a list has that value alone. */
function withValue(whole: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (/^\d+$/.test(name)) return [withValue(undefined, rest, value)]
  const object = (whole ?? {}) as Record<string, unknown>
  return { ...object, [name]: withValue(object[name], rest, value) }
}

describe('headers of the resumable protocol', () => {
  const wrong: Readonly<Record<string, readonly string[]>> = {
    'Upload-Length': ['-1', 'many', '9007199254740992'],
    'Upload-Offset': ['-1', 'all', '9007199254740992'],
    'Upload-Checksum': ['sha1', 'crc32 AAAA', 'md5 AAAAAAAAAAAAAAAAAAAAAB=='],
    'Upload-Metadata': ['title !', metadataOf({ colour: 'red' })],
    'X-HTTP-Method-Override': ['PUT'],
  }
  test.for(calls.filter(({ path }) => path.startsWith('/api/5/uploads')))(
    'of $id are refused by name',
    async (call) => {
      for (const { name } of call.parameters)
        for (const value of wrong[name] ?? []) {
          const override =
            call.id === 'postUploadsById' && name.startsWith('Upload')
              ? { 'X-HTTP-Method-Override': 'PATCH', 'Upload-Offset': '0' }
              : {}
          const answer = await send(call, { headers: { ...neededHeaders(call), ...override, [name]: value } })
          assertListed(call, answer)
          assert.equal(answer.status, 400, `${name}: ${value}: ${answer.text}`)
          assert.deepEqual(
            faultsOf(answer).map((fault) => fault.name),
            [name],
            answer.text,
          )
        }
      const answer = await send(call, { headers: { ...neededHeaders(call), 'Tus-Resumable': '0.2.2' } })
      assertListed(call, answer)
    },
  )
})
