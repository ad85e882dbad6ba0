import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage } from '../support/pages.ts'
import { picture, set, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('suggestions of the search', (store) => {
  test('have tags, albums and people that the reader may list, from two letters on', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    const key = await keyOf(app, cats, 'write')
    const dunja = await userWithKey(app, cats, 'Dunja')
    await userWithKey(app, cats, 'duke')
    const album = async (title: string, privacy: string) =>
      (await ask5(app, cats, 'POST albums', { key, body: { title, privacy } })).json.id as string
    await album('Dünen am Meer', 'public')
    const closed = await album('Duty', 'private')
    const upload = async (seed: number, fields: Record<string, string>, by?: string) =>
      uploaded(app, cats, { file: await picture({ seed }), fields, ...(by && { key: by }) })
    await upload(1, { tags: 'dusk,sea' })
    await upload(2, { tags: 'dungeon', album_id: closed })
    await upload(3, { title: 'Open' }, dunja.key)

    const ada = (await logIn(app, cats)).headers.cookie ?? ''
    const bob = (await logIn(app, cats, { login: 'duke', password: 'a long password' })).headers.cookie ?? ''
    const own = { 'x-terrace-page': '1', accept: '*/*' }
    const ask = (q: string, cookie?: string) =>
      askPage(app, cats, `GET /-/suggestions?q=${encodeURIComponent(q)}`, {
        headers: own,
        ...(cookie && { cookie }),
      })
    const texts = async (q: string, cookie?: string) =>
      (await ask(q, cookie)).json.map(({ text }: { text: string }) => text)

    for (const cookie of [undefined, bob])
      assert.deepEqual(await texts('du', cookie), ['dusk', 'Dünen am Meer', 'Dunja'])
    assert.deepEqual(await texts('du', ada), ['dungeon', 'dusk', 'Dünen am Meer', 'Duty', 'Dunja'])
    assert.deepEqual(await texts('d'), [])
    assert.deepEqual(await texts('old DUS'), ['dusk'])
    const [tag, sea, person] = (await ask('du')).json
    assert.deepEqual([tag.kind, tag.path, person.path], ['Tag', '/tag/dusk', '/Dunja'])
    assert.equal((await askPage(app, cats, `GET ${sea.path}`)).status, 200)

    for (const text of ['\0\0\0', '%', '__', `${'x'.repeat(3_000)}`, "du'", '\u{10ffff}\u{10ffff}'])
      assert.deepEqual(await texts(text), [], text)
    const others = { headers: { 'sec-fetch-site': 'cross-site', accept: '*/*' } }
    assert.equal((await askPage(app, cats, 'GET /-/suggestions?q=du', others)).status, 403)
    await set(app, cats, { listing: 'off' })
    assert.equal((await ask('du')).status, 404)
    await set(app, cats, { listing: 'members' })
    assert.equal((await ask('du')).status, 401)
    assert.equal((await ask('du', bob)).status, 200)
  })

  test('and the heading of the results has their number', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    for (const seed of [1, 2])
      await uploaded(app, cats, { file: await picture({ seed }), fields: { title: 'Dusk' } })
    const heading = async (q: string, language = 'en') => {
      const headers = { 'accept-language': language }
      const { text } = await askPage(app, cats, `GET /search?q=${q}`, { headers })
      return /<h1[^>]*>([^<]*)/.exec(text)?.[1]
    }
    assert.equal(await heading('dusk'), 'Search: 2 results')
    assert.equal(await heading('dusk', 'de'), 'Suche: 2 Ergebnisse')
    assert.equal(await heading('nothing'), 'Search: 0 results')
    assert.equal(await heading(''), 'Search')
  })
})
