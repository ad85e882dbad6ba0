import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readFile, removeFile } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { times } from '../support/servers/several-servers.ts'
import { nowOf, onSiteOf, picture, set, type TestTenant, uploaded } from '../support/uploads.ts'

const day = 24 * 60 * 60

async function send(app: TestApp, cats: TestTenant, seed: number, fields: Record<string, string> = {}) {
  return uploaded(app, cats, { file: await picture({ seed }), fileName: 'cat.png', fields })
}

const remove = (app: TestApp, image: { delete_url: string }) => ask(app, image.delete_url)

const maxAgeOf = async (app: TestApp, url: string) =>
  Number(/max-age=(\d+)/.exec(String((await ask(app, url)).headers['cache-control']))?.[1])

onEachStore('the name of a deleted file', (store) => {
  test('is reserved while a cache may hold its bytes, and free afterwards', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { storage_mode: 'direct' })
    const first = await send(app, cats, 1)
    assert.equal(first.name, 'cat')
    const cachedSeconds = await maxAgeOf(app, first.url)
    const cachedAt = nowOf(app).getTime()
    assert.equal((await remove(app, first)).status, 200)

    const second = await send(app, cats, 2)
    assert.match(second.name, /^cat-[0-9a-f]{16}$/)
    assert.equal((await ask(app, first.url)).status, 404)
    // Names that differ in case alone are one.
    const shouted = await uploaded(app, cats, { file: await picture({ seed: 3 }), fileName: 'CAT.png' })
    assert.match(shouted.name, /^CAT-[0-9a-f]{16}$/)

    app.wait((cachedAt - nowOf(app).getTime()) / 1_000 + cachedSeconds - 120)
    assert.notEqual((await send(app, cats, 4)).name, 'cat')
    app.wait(240)
    assert.equal((await send(app, cats, 5)).name, 'cat')
  })

  test('is free when its time was over, and until then not', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { storage_mode: 'direct' })
    const brief = await send(app, cats, 1, { expiration: 'P1D' })
    assert.ok((await maxAgeOf(app, brief.url)) <= day)
    await remove(app, brief)
    app.wait(day - 300)
    assert.notEqual((await send(app, cats, 2)).name, 'cat')
    app.wait(600)
    const next = await send(app, cats, 3, { expiration: 'PT5M' })
    assert.equal(next.name, 'cat')
    // One that is removed after its time leaves nothing behind: no cache has it.
    await onSiteOf(app, cats, async (site) => {
      const file = await readFile(site, next.id_encoded)
      app.wait(301)
      await removeFile(site, file)
    })
    assert.equal((await send(app, cats, 4)).name, 'cat')
  })

  test('goes to none of many who want it at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const first = await send(app, cats, 1)
    await remove(app, first)
    const images = await Promise.all(times(8, (place) => send(app, cats, place + 2)))
    const names = images.map(({ name }) => name)
    assert.deepEqual([new Set(names).size, names.includes('cat')], [8, false])
    assert.equal((await ask(app, first.url)).status, 404)
  })
})
