import assert from 'node:assert/strict'
import { test } from 'vitest'
import { answerTo, notTaken, requestOf, startFastPath } from '../support/clients/fast-path.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

const tagsOf = ({ headers }: Awaited<ReturnType<typeof ask>>) => [
  headers['cache-tag'],
  headers['surrogate-key'],
]
const none = [undefined, undefined]

/** Every kind of answer with bytes of the file. */
async function assertTags(app: TestApp, image: any, expected: (string | undefined)[]): Promise<void> {
  const { etag = '' } = (await ask(app, image.url)).headers
  const requests: [url: string, status: number, headers?: Record<string, string>, method?: string][] = [
    [image.url, 200],
    [image.url, 200, {}, 'HEAD'],
    [image.url, 206, { range: 'bytes=0-9' }],
    [image.url, 304, { 'if-none-match': etag }],
    [image.thumb.url, 200],
    [image.medium.url, 200],
    [`${image.url}?v=1`, 200],
    [`${image.url}?width=320&format=webp`, 200],
    [`${image.url}?width=320&format=webp`, 200],
    [`${image.url}?width=320&format=auto`, 200, { accept: 'image/webp' }],
    [`${image.url}?width=320&format=webp`, 206, { range: 'bytes=0-9' }],
  ]
  for (const [url, status, headers, method] of requests) {
    const sent = await ask(app, url, headers, method)
    assert.deepEqual([sent.status, tagsOf(sent)], [status, expected], `${method ?? 'GET'} ${url}`)
  }
}

const withTags = { SERVICE_CACHE_TAG_HEADER: 'cache-tag, surrogate-key' }

const large = () => picture({ width: 900, height: 700 })

async function privateFile(app: TestApp, tenant: TestTenant) {
  const key = await keyOf(app, tenant, 'write')
  const body = { title: 'x', privacy: 'private' }
  const { id } = (await ask5(app, tenant, 'POST albums', { key, body })).json
  return uploaded(app, tenant, { file: await picture({ seed: 5 }), fields: { album_id: id } })
}

onEachStore('tags for caches', (store) => {
  test('every answer with public bytes names its tenant and file, in each header asked for', async () => {
    await using app = await startTestApp({ store, environment: withTags })
    const cats = await app.tenant('Cats-1')
    const image = await uploaded(app, cats, { file: await large() })
    const id = image.id_encoded
    await assertTags(app, image, [`t-Cats-1,f-${id}`, `t-Cats-1 f-${id}`])
    for (const header of ['cache-tag', 'surrogate-key']) {
      const environment = { SERVICE_CACHE_TAG_HEADER: header }
      await using beside = await startTestApp({ beside: app, environment })
      const sent = await ask(beside, image.url)
      assert.deepEqual(
        tagsOf(sent).map((value) => value !== undefined),
        [header === 'cache-tag', header === 'surrogate-key'],
      )
    }
  })

  test('refusals and bytes that need a signature have no tags', async () => {
    await using app = await startTestApp({ store, environment: withTags })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await large() })
    const hidden = await privateFile(app, cats)
    const sent = await ask(app, hidden.url)
    assert.deepEqual([sent.status, tagsOf(sent)], [200, none])
    assert.match(String(sent.headers['cache-control']), /^private/)
    const refused: [url: string, status: number, headers?: Record<string, string>][] = [
      [hidden.url.split('?')[0], 404],
      [`${image.url}?width=321`, 403],
      [`${image.url}?width=0`, 400],
      [image.url, 412, { 'if-match': '"x"' }],
      [image.url, 416, { range: 'bytes=9999999-' }],
      [image.url.replace(/\.\w+$/, '.none'), 404],
    ]
    for (const [url, status, headers] of refused) {
      const answer = await ask(app, url, headers)
      assert.deepEqual([answer.status, tagsOf(answer)], [status, none], url)
    }
  })

  test('without the setting no answer has them', async () => {
    await using app = await startTestApp({ store })
    const image = await uploaded(app, await app.tenant('cats'), { file: await large() })
    await assertTags(app, image, none)
  })
})

test('the fast path sends the tags too', async () => {
  await using app = await startTestApp({ environment: withTags })
  const cats = await app.tenant('cats')
  const image = await uploaded(app, cats, { file: await large() })
  await ask(app, image.url)
  await using fast = await startFastPath(app)
  const answer = await answerTo(fast.port, requestOf(image.url))
  assert.notEqual(answer, notTaken)
  assert.match(answer, new RegExp(`\r\ncache-tag: t-cats,f-${image.id_encoded}\r\n`, 'i'))
  assert.match(answer, new RegExp(`\r\nsurrogate-key: t-cats f-${image.id_encoded}\r\n`, 'i'))
})
