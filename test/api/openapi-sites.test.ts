import assert from 'node:assert/strict'
import * as JsonSchema from 'typebox/schema'
import { afterAll, describe, test } from 'vitest'
import { siteRoutes } from '../../src/routes.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { plainMp4, videos } from '../support/fixtures/videos.ts'
import { type Answer, startTestApp } from '../support/harness.ts'
import { picture, type Sending, upload, uploaded } from '../support/uploads.ts'

const app = await startTestApp()
const cats = await app.tenant('cats')
afterAll(() => app[Symbol.asyncDispose]())

/** The OpenAPI document as a client gets it. */
const document = (await app.send('GET', '/_/openapi.json', {})).json

function schemaOf(method: string, path: string, status: number): JsonSchema.XSchema {
  const { schema } = document.paths[path][method].responses[status].content['application/json']
  return { ...schema, components: document.components }
}

function assertDescribed(
  { status, json, text }: Pick<Answer, 'status' | 'json' | 'text'>,
  schema: JsonSchema.XSchema,
) {
  const [isValid, faults] = JsonSchema.Errors(schema, json)
  assert.ok(isValid, `${status} ${text}: ${JSON.stringify(faults)}`)
}

describe('the OpenAPI document describes what a site answers:', () => {
  const uploads: [name: string, sending: Sending][] = [
    ['to a file in a form', { fields: { title: 'A cat', tags: 'cat, pet', expiration: 'PT5M' } }],
    ['to a small picture, which has no medium version', {}],
    ['at the other address', { path: '/1/upload' }],
    ['in the third-party format', { path: '/1/upload', fileField: 'image', fields: { expiration: '600' } }],
  ]

  test.for(uploads)('to an upload %s', async ([, sending]) => {
    const path = sending.path ?? '/api/1/upload'
    const answer = await upload(app, cats, sending)
    assert.equal(answer.status, 200)
    assertDescribed(answer, schemaOf('post', path, 200))
    // A field that is not described is a fault.
    const more = { ...answer.json, image: { ...answer.json.image, more: 1 } }
    assert.equal(JsonSchema.Check(schemaOf('post', path, 200), more), false)
  })

  test('to an upload that wants the fields of the earliest API', async () => {
    const dogs = await app.tenant('dogs')
    await app.call('PATCH', 'tenants/dogs', { env: { SERVICE_UPLOAD_EARLIEST_FIELDS: '1' } })
    const answer = await upload(app, dogs)
    assert.equal(answer.json.image.storage_id, null)
    assertDescribed(answer, schemaOf('post', '/api/1/upload', 200))
  })

  videos.test('to an upload of a video', async () => {
    const answer = await upload(app, cats, { file: await plainMp4(), fileName: 'a.mp4' })
    assert.equal(answer.json.image.type, 'video')
    assertDescribed(answer, schemaOf('post', '/api/1/upload', 200))
  })

  test('to an upload in the query, and in the plain formats', async () => {
    const source = (await picture({ seed: 7 })).toString('base64url')
    const send = (format: string) => upload(app, cats, { method: 'GET', query: { source, format } })
    assertDescribed(await send('json'), schemaOf('get', '/api/1/upload', 200))
    const { responses } = document.paths['/api/1/upload'].get
    const text = await send('txt')
    assert.equal(text.headers['content-type']?.split(';')[0], 'text/plain')
    assert.ok(responses[200].content['text/plain'])
    const redirect = await send('redirect')
    assert.equal(redirect.status, 302)
    assert.ok(responses[302].headers.Location)
  })

  test('to an upload that is refused', async () => {
    const refusals: [status: number, sending: Sending][] = [
      [400, { key: 'wrong' }],
      [400, { fields: { nsfw: '2' } }],
      [403, { fields: { album_id: 'none' } }],
      [415, { headers: { 'content-type': 'text/csv' } }],
    ]
    for (const [status, sending] of refusals) {
      const answer = await upload(app, cats, sending)
      assert.equal(answer.status, status)
      assertDescribed(answer, schemaOf('post', '/api/1/upload', status))
    }
  })

  test('to every parameter of an upload that docs/api-upload.md lists', () => {
    const { requestBody } = document.paths['/api/1/upload'].post
    const types = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json']
    assert.deepEqual(Object.keys(requestBody.content), types)
    for (const type of types)
      assert.deepEqual(Object.keys(requestBody.content[type].schema.properties), [
        'source',
        'key',
        'format',
        'title',
        'description',
        'tags',
        'album_id',
        'category_id',
        'width',
        'expiration',
        'nsfw',
        'use_file_date',
        'image',
        'name',
      ])
  })

  test('to oEmbed and to a delete link', async () => {
    const image = await uploaded(app, cats, { file: await picture({ seed: 8 }) })
    const url = `http://cats.test/oembed?url=${encodeURIComponent(image.url_short)}`
    const embedded = await ask(app, url)
    assertDescribed({ ...embedded, json: JSON.parse(embedded.text) }, schemaOf('get', '/oembed', 200))
    const path = '/image/{id}/delete/{token}'
    const question = await ask(app, image.delete_url, browserHeaders)
    const { content } = document.paths[path].get.responses[200]
    assert.ok(content[question.headers['content-type']?.split(';')[0] ?? ''])
    const deleted = await ask(app, image.delete_url)
    assertDescribed({ ...deleted, json: JSON.parse(deleted.text) }, schemaOf('get', path, 200))
    const gone = await ask(app, image.delete_url)
    assert.equal(gone.status, 404)
    assertDescribed({ ...gone, json: JSON.parse(gone.text) }, schemaOf('get', path, 404))
  })
})

test('every route of a site has an access, a chapter and a summary of its own', () => {
  const summaries = siteRoutes.map(({ endpoint }) => endpoint.summary)
  const shared = summaries.filter((summary, index) => summaries.indexOf(summary) !== index)
  // One handler refuses both methods.
  assert.deepEqual(shared, ['Refuse another version or action'])
  for (const { endpoint } of siteRoutes) assert.ok(endpoint.access && endpoint.tag)
})
