import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage } from '../support/pages.ts'

onEachStore('the lists of the dashboard', (store) => {
  test('show how much of their limit is used, where there is one', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await ask5(app, cats, 'POST categories', { key, body: { name: 'Street art' } })
    await ask5(app, cats, 'POST albums', { key, body: { title: 'Sea' } })
    const ada = (await logIn(app, cats)).headers.cookie ?? ''
    const useOf = async (part: string) => {
      const { text } = await askPage(app, cats, `GET /dashboard/${part}`, { cookie: ada })
      return /<div class="use"><span>([^<]*)<\/span><meter class="meter" aria-label="([^"]*)"/
        .exec(text)
        ?.slice(1)
    }
    assert.equal(await useOf('categories'), undefined)
    const names = ['CATEGORIES', 'USERS', 'PAGES', 'ALBUMS', 'TAGS']
    const limits = Object.fromEntries(names.map((name) => [`SERVICE_MAX_${name}`, '40']))
    await app.call('PATCH', `tenants/${cats.id}`, { limits })
    assert.deepEqual(await useOf('categories'), ['1 of 40', 'Categories'])
    assert.deepEqual(await useOf('users'), ['1 of 40', 'Users'])
    assert.deepEqual(await useOf('albums'), ['1 of 40', 'Albums'])
    assert.deepEqual(await useOf('tags'), ['0 of 40', 'Tags'])
    assert.equal(await useOf('files'), undefined)
    await app.call('PATCH', `tenants/${cats.id}`, { limits: { SERVICE_MAX_STORAGE: '2000000' } })
    assert.match((await useOf('files'))?.join() ?? '', /^0 B of 2 MB,Storage$/)
    await app.call('PATCH', `tenants/${cats.id}`, { limits: { SERVICE_MAX_FILES: '40' } })
    assert.deepEqual(await useOf('files'), ['0 of 40', 'Files'])
    await app.call('PATCH', `tenants/${cats.id}`, { limits })
    assert.match((await useOf('pages'))?.join() ?? '', /^\d of 40,/)
  })
})
