import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { create } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { picture, refusalOf, set, type TestTenant, upload, uploaded } from '../support/uploads.ts'

const names = (count: number, name = 'a') => Array.from({ length: count }, (_, index) => `${name}${index}`)

const mostRefusalBytes = 65_536

async function started(store?: 'sqlite' | 'postgres'): Promise<[TestApp, TestTenant]> {
  const app = await startTestApp({ ...(store && { store }) })
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  return [app, cats]
}

onEachStore('tags of a list of files', (store) => {
  test('select the files that have all of them, however often one is named', async () => {
    const [app, cats] = await started(store)
    await using _ = app
    const key = await keyOf(app, cats, 'read')
    const [harbour, dusk] = [
      await uploaded(app, cats, { fields: { tags: names(16).join() } }),
      await uploaded(app, cats, { file: await picture({ width: 9 }), fields: { tags: 'a0,a1,dusk' } }),
    ]
    const found = async (tag: string) => {
      const { status, json, text } = await ask5(app, cats, `GET files?tag=${tag}`, { key })
      assert.equal(status, 200, text)
      return json.data.map(({ id }: { id: string }) => id).sort()
    }
    const both = [harbour.id_encoded, dusk.id_encoded].sort()
    assert.deepEqual(await found('a0'), both)
    assert.deepEqual(await found('a0,a1'), both)
    assert.deepEqual(await found('a1,a0,a1,a0'), both)
    assert.deepEqual(await found('a0,%20dusk'), [dusk.id_encoded])
    assert.deepEqual(await found('a2,dusk'), [])
    assert.deepEqual(await found(names(16).join()), [harbour.id_encoded])
    assert.deepEqual(await found(`${names(15).join()},none`), [])
  })

  test('are at most 16 as they are sent, and a longer list is refused by its name', async () => {
    const [app, cats] = await started(store)
    await using _ = app
    for (const tags of [names(17), Array<string>(17).fill('a'), names(200), names(1_500)]) {
      const answer = await ask5(app, cats, `GET files?tag=${tags.join()}`)
      assert.deepEqual(problem(answer), [400, 'invalid'], answer.text)
      assert.equal(answer.json.errors[0].parameter, 'tag')
    }
  })

  test('and words, phrases and filters of a search are at most 16 together', async () => {
    const [app, cats] = await started(store)
    await using _ = app
    await uploaded(app, cats, { fields: { title: 'harbour', tags: names(16).join() } })
    const sixteen = [
      names(16).map((tag) => `tag:${tag}`),
      ['harbour', ...names(15).map((tag) => `tag:${tag}`)],
      ['harbour', '"harbour"', 'type:image', ...names(13).map((tag) => `tag:${tag}`)],
    ]
    for (const words of sixteen) {
      const q = encodeURIComponent(words.join(' '))
      const page = await askPage(app, cats, `GET /search?q=${q}`)
      assert.equal(page.status, 200, page.text)
      assert.match(page.text, /harbour/)
      const more = encodeURIComponent([...words, 'tag:a1'].join(' '))
      const refused = await askPage(app, cats, `GET /search?q=${more}`, {
        headers: { 'accept-language': 'de' },
      })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /höchstens 16 Wörtern, Wortgruppen und Filtern/)
      const headers = { 'sec-fetch-site': 'same-origin' }
      for (const call of ['shape', 'window', 'new'])
        for (const [list, status] of [
          [q, 200],
          [more, 400],
        ] as const) {
          const since = '&since=2026-01-01T00:00:00.000Z'
          const path = `/-/files/${call}?in=search:${list}${since}`
          assert.equal((await askPage(app, cats, `GET ${path}`, { headers })).status, status, path)
        }
    }
  })
})

test('a search of hundreds of filters is refused in a small page', async () => {
  const [app, cats] = await started()
  await using _ = app
  for (const q of ['tag:a '.repeat(900), 'tag:"'.repeat(1_000), 'x '.repeat(3_000), 'a'.repeat(14_000)]) {
    const { status, text } = await askPage(
      app,
      cats,
      `GET /search?q=${encodeURIComponent(q)}`.slice(0, 15_000),
    )
    assert.equal(status, 400)
    assert.ok(text.length < mostRefusalBytes * 2, `${text.length} bytes for ${q.slice(0, 10)}`)
  }
})

describe('a body or an upload', () => {
  test('has at most 500 tags', async () => {
    const [app, cats] = await started()
    await using _ = app
    const key = await keyOf(app, cats, 'admin')
    const ofUpload = (count: number) => upload(app, cats, { fields: { tags: names(count).join() } })
    assert.equal((await ofUpload(500)).status, 200)
    assert.deepEqual(refusalOf(await ofUpload(501)), [
      400,
      140,
      'tags: must have at most 500 entries, not 501',
    ])
    const { id_encoded: id } = await uploaded(app, cats, { file: await picture({ width: 9 }) })
    const edit = async (body: object) => ask5(app, cats, `PATCH files/${id}`, { key, body })
    assert.equal((await edit({ tags: names(500, 'b') })).status, 200)
    for (const body of [
      { tags: names(501) },
      { add_tags: names(501) },
      { add_tags: names(251), remove_tags: names(250) },
    ]) {
      const answer = await edit(body)
      assert.deepEqual(problem(answer), [400, 'invalid'])
      assert.match(answer.json.errors[0].pointer, /^#\/(tags|add_tags|remove_tags)$/)
    }
    const bulk = { action: 'edit', ids: [id], set: { tags: names(501) } }
    assert.equal((await ask5(app, cats, 'POST files/bulk', { key, body: bulk })).status, 400)
    const metadata = { filename: 'a.png', tags: names(501).join() }
    const resumable = await create([app, cats], { key, length: 10, metadata })
    assert.equal(resumable.status, 400, resumable.text)
  })
})

describe('a refusal', () => {
  const unknown = (count: number, name = 'field') =>
    Object.fromEntries(names(count, name).map((field) => [field, 1]))

  test('names the first hundred faults, and is at most 64 kB long', async () => {
    const [app, cats] = await started()
    await using _ = app
    const key = await keyOf(app, cats, 'admin')
    for (const body of [
      unknown(30_000),
      unknown(2_000, '\u0001'.repeat(70)),
      unknown(2_000, '🐈'.repeat(40)),
      { tags: Array(500).fill('x'.repeat(33)) },
      { title: 'x'.repeat(900_000) },
      { [`${'x'.repeat(900_000)}`]: 1 },
    ]) {
      for (const call of ['POST albums', 'PATCH files/x', 'POST users', 'PATCH settings']) {
        const answer = await ask5(app, cats, call, { key, body })
        assert.equal(answer.status, 400, call)
        assert.ok(Buffer.byteLength(answer.text) <= mostRefusalBytes, `${call}: ${answer.text.length}`)
        assert.ok(answer.json.errors.length <= 100 && answer.json.errors.length > 0)
        assert.ok(answer.json.error.list.length <= 100)
      }
      const answer = await app.call('POST', 'tenants', body)
      assert.equal(answer.status, 400)
      assert.ok(Buffer.byteLength(answer.text) <= mostRefusalBytes, `tenants: ${answer.text.length}`)
      assert.ok(answer.json.error.list.length <= 100)
    }
    const { json } = await ask5(app, cats, 'POST albums', { key, body: unknown(30_000) })
    assert.equal(json.errors.length, 100, JSON.stringify(json.errors))
    assert.match(json.detail, /; there are more faults$/)
    const ofQuery = await ask5(
      app,
      cats,
      `GET files?${names(2_000, 'p')
        .map((name) => `${name}=1`)
        .join('&')}`,
    )
    assert.equal(ofQuery.json.errors.length, 100)
  })

  test('of an upload is as short', async () => {
    const [app, cats] = await started()
    await using _ = app
    const hostile = [
      { [`${'x'.repeat(60_000)}`]: '\u0001' },
      { expiration: '\u0001'.repeat(60_000) },
      { width: '9'.repeat(60_000) },
      { source: 'http://'.padEnd(60_000, '/') },
      Object.fromEntries(names(30_000).map((name) => [name, '1'])),
    ]
    for (const fields of hostile) {
      const bytes = new URLSearchParams(fields as Record<string, string>).toString()
      const answer = await app.send('POST', '/api/1/upload', {
        bytes,
        headers: {
          host: cats.hostname,
          'x-api-key': cats.apiKey,
          'content-type': 'application/x-www-form-urlencoded',
        },
      })
      assert.equal(answer.status, 400, answer.text.slice(0, 200))
      assert.ok(Buffer.byteLength(answer.text) <= mostRefusalBytes, `${answer.text.length}`)
    }
  })
})

test('a site has at most 100 pages unless its settings say otherwise', async () => {
  const [app, cats] = await started()
  await using _ = app
  const key = await keyOf(app, cats, 'admin')
  const write = (name: string) =>
    ask5(app, cats, 'POST pages', { key, body: { url_key: name, title: name, body: '' } })
  for (const name of names(100)) assert.equal((await write(name)).status, 201)
  assert.deepEqual(problem(await write('more')), [403, 'limit-reached'])
  const ada = await visitAs(app, cats)
  const form = { url_key: 'more', title: 'More', body: '' }
  assert.equal((await ada.send('/dashboard/pages/new', form)).status, 403)
  const values = { limits: { SERVICE_MAX_PAGES: '101' } }
  assert.equal((await app.call('PATCH', 'tenants/cats', values)).status, 204)
  assert.equal((await write('more')).status, 201)
  assert.deepEqual(problem(await write('most')), [403, 'limit-reached'])
})
