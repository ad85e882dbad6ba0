import assert from 'node:assert/strict'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { askPage, cookieIn, tokenIn } from '../support/pages.ts'
import { multipartOf, picture, set, type TestTenant, uploaded } from '../support/uploads.ts'

const odd = [
  'C#',
  'AC/DC',
  'C++',
  '.net',
  '.',
  '..',
  '...',
  'a%2Fb',
  '%2E%2E',
  '%',
  '?',
  '/',
  '//',
  '../..',
  '#',
  'a&b=c',
  'say "hi"',
  '"',
  'back\\slash',
  'ends\\',
  "it's",
  '<b>',
  'a;b',
  'a:b',
  '漢字',
  '😀',
  '👩‍👩‍👧',
  '+',
  '-x',
  '*',
  '_',
  '~',
  'tag:x',
  '\u202eabc',
  '，',
  '\u{10ffff}',
  'x'.repeat(32),
]

/** Every name that a tag may have, as it is stored. */
const anyTag = fc
  .string({ unit: fc.oneof(anyCharacter, fc.constantFrom(...'/#+.%?&"\\:;= ')), minLength: 1, maxLength: 32 })
  .map((text) =>
    text
      .replaceAll(/[,\p{Cc}]/gu, '')
      .trim()
      .replaceAll(/\s+/g, ' ')
      .normalize('NFC'),
  )
  .filter((name) => name !== '' && [...name].length <= 32)

/** The path as browsers, `fetch` and most other clients send it. */
const asClientsSend = (path: string) => new URL(path, 'http://cats.test').pathname

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

onEachStore('a tag', (store) => {
  let app: TestApp
  let cats: TestTenant
  let key: string
  let cookie: string
  let png: Buffer
  beforeAll(async () => {
    app = await startTestApp({
      store,
      environment: { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0', SERVICE_RATE_SEARCH: '0' },
    })
    cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    key = await keyOf(app, cats, 'admin')
    const form = { login: 'ada', password: 'a long password' }
    cookie = cookieIn(await askPage(app, cats, 'POST /login', { form }))
    png = await picture({ width: 4, height: 3, format: 'png' })
    return () => app[Symbol.asyncDispose]()
  })

  const send = (tags: string) => {
    const parts = [
      { name: 'source', value: png, fileName: 'cat.png' },
      { name: 'tags', value: tags },
    ]
    const { type, bytes } = multipartOf(parts)
    const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': type }
    return app.send('POST', '/api/5/files', { bytes, headers })
  }
  const page = (path: string) => askPage(app, cats, `GET ${path}`, { cookie })

  async function goesThrough(name: string): Promise<void> {
    const { status, json, text } = await send(`${name},other`)
    assert.equal(status, 201, text)
    const { id } = json
    assert.deepEqual(new Set(json.tags), new Set([name, 'other']))
    const listed = await ask5(app, cats, `GET tags?q=${encodeURIComponent(name)}`, { key })
    assert.ok(
      listed.json.data.some((tag: any) => tag.name === name),
      listed.text,
    )
    const filtered = await ask5(app, cats, `GET files?tag=${encodeURIComponent(name)}`, { key })
    assert.deepEqual(
      filtered.json.data.map((file: any) => file.id),
      [id],
    )

    const viewer = await page(`/image/${id}`)
    const links = [...viewer.text.matchAll(/href="(\/tag\/[^"]*)"/g)].map(([, href = '']) => unescaped(href))
    const found = await Promise.all(links.map((href) => page(asClientsSend(href))))
    assert.deepEqual(
      found.map((each) => each.status),
      [200, 200],
    )
    const titles = found.map(({ text: shown }) => unescaped(/<h1[^>]*>([^<]*)<\/h1>/.exec(shown)?.[1] ?? ''))
    assert.ok(titles.includes(name), `${links} ${titles}`)
    const quoted = name.replaceAll(/["\\]/g, '\\$&')
    const search = await page(`/search?q=${encodeURIComponent(`tag:"${quoted}"`)}`)
    assert.ok(search.text.includes(`/image/${id}`) || search.text.includes(id), search.text)

    const renamed = `${[...name].reverse().slice(0, 30).join('').trim().normalize('NFC')}x`
    const body = { action: 'edit', ids: [id], set: { remove_tags: [name], add_tags: [renamed] } }
    const bulk = await ask5(app, cats, 'POST files/bulk', { key, body })
    assert.equal(bulk.status, 200, bulk.text)
    const edited = await ask5(app, cats, `GET files/${id}`, { key })
    assert.deepEqual(new Set(edited.json.tags), new Set([renamed, 'other']))

    const path = (tag: string) => `tags/${/^\.{1,2}$/.test(tag) ? `${tag}%20` : encodeURIComponent(tag)}`
    const back = await ask5(app, cats, `PATCH ${path(renamed)}`, { key, body: { name } })
    assert.deepEqual([back.status, back.json.name], [200, name], back.text)
    assert.equal((await ask5(app, cats, `DELETE ${path(name)}`, { key })).status, 204)
    const left = await ask5(app, cats, `GET files/${id}`, { key })
    assert.deepEqual(left.json.tags, ['other'])
    await ask5(app, cats, `DELETE files/${id}?permanent=true`, { key })
  }

  test('of any character but commas and control characters is kept by upload, list, filter, page, search, edit, rename and delete', {
    timeout: 300_000,
  }, async () => {
    const examples = odd.map((name): [string] => [name])
    await fc.assert(fc.asyncProperty(anyTag, goesThrough), { examples, numRuns: odd.length + 15 })
  })

  test('`.` and `..` are also found by the address of a client that does not resolve them', async () => {
    const { json } = await send('..,.')
    for (const name of ['%2E%2E', '%2E']) assert.equal((await page(`/tag/${name}`)).status, 200)
    for (const name of ['%2E%2E', '%2E'])
      assert.equal((await ask5(app, cats, `DELETE tags/${name}`, { key })).status, 204)
    assert.deepEqual((await ask5(app, cats, `GET files/${json.id}`, { key })).json.tags, [])
  })

  test.for(['a\u0007b', 'a\tb', 'a\nb', 'a\u0085b', 'x'.repeat(33)])(
    '%j is refused by /api/5, and nothing is stored',
    async (name) => {
      const count = async () => (await ask5(app, cats, 'GET files?count=true', { key })).json.total.value
      const before = await count()
      const refused = await send(`cat,${name}`)
      assert.equal(refused.status, 400)
      assert.deepEqual(
        refused.json.errors.map((fault: any) => fault.pointer),
        ['#/tags'],
      )
      const metadata = `filename ${btoa('cat.png')},tags ${Buffer.from(name).toString('base64')}`
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': '9', 'upload-metadata': metadata }
      const resumable = await ask5(app, cats, 'POST uploads', { key, headers })
      assert.equal(resumable.status, 400, resumable.text)
      assert.match(resumable.json.detail, /^tags: /)
      assert.equal(await count(), before)
      const { json } = await send('cat')
      for (const body of [{ tags: [name] }, { add_tags: ['ok', name] }]) {
        const edit = await ask5(app, cats, `PATCH files/${json.id}`, { key, body })
        assert.deepEqual(problem(edit), [400, 'invalid'])
        assert.match(edit.json.errors[0].pointer, /^#\/(add_)?tags\//)
      }
      const renamed = await ask5(app, cats, 'PATCH tags/cat', { key, body: { name } })
      assert.deepEqual(problem(renamed), [400, 'invalid'])
    },
  )

  test('the list of tags goes on behind one with a slash or a comma in its form', async () => {
    const names = Array.from({ length: 205 }, (_, index) => `，/${String(index).padStart(3, '0')}/z`)
    for (let from = 0; from < names.length; from += 41) await send(names.slice(from, from + 41).join())
    const seen: string[] = []
    for (let path: string | undefined = '/tags'; path; ) {
      const { text } = await page(path)
      seen.push(
        ...[...text.matchAll(/class="chip" href="\/tag\/([^"]*)"/g)].map(([, each = '']) =>
          decodeURIComponent(unescaped(each)),
        ),
      )
      const [, next] =
        /href="(\/tags\?after=[^"]*)"[^>]*rel="next"|rel="next"[^>]*href="(\/tags\?after=[^"]*)"/.exec(
          text,
        ) ?? []
      path = next && unescaped(next)
    }
    for (const name of names) expect(seen.filter((each) => each === name)).toHaveLength(1)
  })

  test('the upload API keeps odd names, and still leaves out those that cannot be', async () => {
    const fields = { tags: `C#,AC/DC,..,a\u0007b,${'y'.repeat(33)}` }
    const image = await uploaded(app, cats, { fields })
    assert.equal(image.tags_string, 'C#, AC/DC, ..')
    for (const { url } of image.tags) assert.equal((await page(asClientsSend(url))).status, 200, url)
    assert.deepEqual(
      image.tags.map((tag: any) => tag.url),
      ['/tag/C%23', '/tag/AC%2FDC', '/tag/%2E%2E%20'],
    )
  })

  test('the plain form says which tag it refuses, and stores nothing', async () => {
    const csrf = tokenIn(await page('/upload'))
    const parts = [
      { name: 'csrf', value: csrf },
      { name: 'tags', value: `cat,${'x'.repeat(33)}` },
      { name: 'file', value: png, fileName: 'cat.png' },
    ]
    const { type, bytes } = multipartOf(parts)
    const headers = { host: cats.hostname, cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' }
    const { status, text } = await app.send('POST', '/upload', { bytes, headers })
    assert.deepEqual([status, text.includes('x'.repeat(33))], [400, true])
  })
})
