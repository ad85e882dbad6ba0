import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage } from '../support/pages.ts'
import { set, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('the page of an album and of own files', (store) => {
  test('offer Upload, which goes into the album of its owner', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    const key = await keyOf(app, cats, 'write')
    await userWithKey(app, cats, 'bob')
    const { id } = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Sea' } })).json
    const ada = (await logIn(app, cats)).headers.cookie ?? ''
    const bob = (await logIn(app, cats, { login: 'bob', password: 'a long password' })).headers.cookie ?? ''
    const see = async (path: string, cookie?: string) => {
      const { text } = await askPage(app, cats, `GET ${path}`, cookie ? { cookie } : {})
      return text.slice(text.indexOf('<main'), text.indexOf('</main'))
    }
    const link = `href="/upload?album=${id}"`
    assert.ok((await see(`/album/${id}`, ada)).includes(link), 'in the empty state')
    for (const cookie of [bob, undefined]) assert.ok(!(await see(`/album/${id}`, cookie)).includes('/upload'))
    await uploaded(app, cats, { fields: { album_id: id } })
    assert.ok((await see(`/album/${id}`, ada)).includes(link), 'beside the other actions')

    const option = `<option value="${id}" selected>Sea</option>`
    assert.ok((await see(`/upload?album=${id}`, ada)).includes(option))
    assert.ok(!(await see('/upload', ada)).includes(option))
    for (const album of [id, 'nonsense', '%00', "'"])
      assert.ok(!(await see(`/upload?album=${album}`, bob)).includes(`value="${id}"`), album)
    const own = { 'x-terrace-page': '1', accept: 'application/json' }
    const data = await askPage(app, cats, `GET /-/upload?album=${id}`, { cookie: ada, headers: own })
    assert.equal(data.json.defaults.album_id, id)

    assert.match(await see('/mine', bob), /class="empty".*href="\/upload"/s)
  })

  test('say how much room is used, and how much is left', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const file = await uploaded(app, cats)
    const ada = (await logIn(app, cats)).headers.cookie ?? ''
    const see = async () => (await askPage(app, cats, 'GET /mine', { cookie: ada })).text
    assert.match(await see(), /[\d.]+ K?B used on this site</)
    assert.ok(file.size > 0)
    await app.call('PATCH', `tenants/${cats.id}`, { limits: { SERVICE_MAX_STORAGE: '10000000' } })
    assert.match(await see(), /of 10 MB used on this site, [\d.]+ MB left<.*<meter class="meter"/s)
    const limits = { SERVICE_MAX_STORAGE: '10000000', SERVICE_MAX_STORAGE_PER_USER: '5000000' }
    await app.call('PATCH', `tenants/${cats.id}`, { limits })
    assert.match(await see(), /of 5 MB used by your files, [\d.]+ MB left<.*<meter class="meter"/s)
    const form = (await askPage(app, cats, 'GET /upload', { cookie: ada })).text
    assert.match(form, /of 5 MB used by your files</)
    await app.call('PATCH', `tenants/${cats.id}`, {
      limits: { ...limits, SERVICE_MAX_STORAGE_PER_USER: '20000000' },
    })
    assert.match(await see(), /of 10 MB used on this site/, 'the site has less room than the user')
  })
})
