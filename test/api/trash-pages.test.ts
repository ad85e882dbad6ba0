import assert from 'node:assert/strict'
import { test } from 'vitest'
import { recountTotals } from '../../src/site/index.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem, walk } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { limit, onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const password = 'a long password'
const pathOf = (url: string) => new URL(url).pathname

/** Puts all files of the site into the trash, or those of some ids. */
const trash = (app: TestApp, cats: TestTenant, ids?: readonly string[]) =>
  onSiteOf(app, cats, ({ db, clock }) => {
    const update = db.updateTable('file').set({ deletedAt: clock.now().toISOString() })
    return (ids ? update.where('id', 'in', ids) : update).execute()
  })

onEachStore('the pages of the trash', (store) => {
  test('show a file to its owner and the staff, and its own addresses stay closed to them too', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    await userWithKey(app, cats, 'eve')
    const file = await picture({ width: 800, height: 600 })
    const image = await uploaded(app, cats, { key: bob.key, file, fields: { title: 'A <b>quay' } })
    const id: string = image.id_encoded
    const key = await keyOf(app, cats, 'write', bob.userId)
    await ask5(app, cats, `DELETE files/${id}`, { key })
    const [page, drawing] = [`/mine/trash/${id}`, `/mine/files/${id}/picture`]
    const closed = [image.url, image.thumb.url, image.medium.url, image.url_viewer, image.url_short].map(
      pathOf,
    )

    for (const login of ['bob', 'ada']) {
      const { show } = await visitAs(app, cats, { login, password })
      const shown = await show(page)
      assert.match(shown.text, /<h1[^>]*>A &lt;b&gt;quay<\/h1>/)
      assert.match(shown.text, new RegExp(`<img src="${drawing}" width="500" height="375"`), login)
      for (const each of closed) assert.ok(!shown.text.includes(each), each)
      const sent = await show(drawing)
      assert.deepEqual([sent.status, sent.headers['cache-control']], [200, 'private, no-store'], login)
      for (const each of closed) assert.equal((await show(each)).status, 404, `${login} ${each}`)
    }
    const owner = await visitAs(app, cats, { login: 'bob', password })
    assert.match(
      (await owner.show('/mine/trash')).text,
      new RegExp(`href="${page}"[^>]*><img src="${drawing}"`),
    )
    const window = await askPage(app, cats, 'GET /-/files/window?in=trash', {
      cookie: owner.cookie,
      headers: { 'x-terrace-page': '1', accept: '*/*' },
    })
    assert.deepEqual(
      window.json.tiles.map((tile: Record<string, unknown>) => [tile.id, tile.path, tile.picture]),
      [[id, page, drawing]],
    )
    const staff = await visitAs(app, cats)
    assert.doesNotMatch((await staff.show('/mine/trash')).text, /quay/)
    const listed = (await staff.show('/dashboard/files?show=trash')).text
    assert.match(listed, new RegExp(`<img src="/dashboard/files/${id}/picture"`))
    assert.equal((await staff.show(`/dashboard/files/${id}/picture`)).status, 200)

    const eve = await visitAs(app, cats, { login: 'eve', password })
    for (const each of [page, drawing, ...closed]) assert.equal((await eve.show(each)).status, 404, each)
    for (const each of [page, drawing]) assert.equal((await askPage(app, cats, `GET ${each}`)).status, 302)
    for (const each of ['/mine/trash/none', '/mine/trash/%00', '/mine/files/%00/picture'])
      assert.equal((await owner.show(each)).status, 404, each)

    assert.equal((await owner.send('/mine/selected', { action: 'restore', id })).status, 303)
    assert.equal((await owner.show(page)).headers.location, pathOf(image.url_viewer))
    assert.equal((await owner.show(pathOf(image.url))).status, 200)
  })

  test('restore all of it or empty it after a question, and leave the trash of others', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 450)
    const bob = await userWithKey(app, cats, 'bob')
    await uploaded(app, cats, { key: bob.key, file: await picture({ seed: 3 }) })
    await trash(app, cats)
    const key = await keyOf(app, cats, 'admin')
    const counted = async (query: string) =>
      (await ask5(app, cats, `GET files?limit=1&count=true&${query}`, { key })).json.total.value
    const { send, show } = await visitAs(app, cats)
    assert.match((await show('/mine/trash')).text, /Empty trash[\s\S]*File 99"/)
    assert.equal((await send('/mine/trash', { action: 'restore' })).headers.location, '/mine/trash')
    assert.deepEqual([await counted('user_id=me'), await counted('trashed=true')], [450, 1])

    await trash(app, cats)
    const asked = await send('/mine/trash', { action: 'remove' })
    assert.match(asked.text, /<h1[^>]*>Empty the trash\?<\/h1>/)
    assert.equal(await counted('trashed=true'), 451)
    assert.equal((await send('/mine/trash', { action: 'remove', save: '1' })).status, 303)
    assert.deepEqual([await counted('user_id=me'), await counted('trashed=true')], [0, 1])
    assert.match((await show('/mine/trash')).text, /The trash is empty/)
    // An empty trash can be emptied again.
    assert.equal((await send('/mine/trash', { action: 'remove', save: '1' })).status, 303)
    for (const action of ['', 'trash', 'edit'])
      assert.match((await send('/mine/trash', { action })).text, /action: must be one of restore, remove/)
    assert.equal(
      (await askPage(app, cats, 'POST /mine/trash', { form: { action: 'remove', save: '1' } })).status,
      302,
    )
  })

  test('show what was deleted last first, page after page', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 130)
    const key = await keyOf(app, cats, 'write')
    const order = Array.from({ length: 120 }, (_file, index) => `f${((index * 53) % 120) + 1}`)
    for (let from = 0; from < order.length; from += 4) {
      await trash(app, cats, order.slice(from, from + 4))
      app.wait(1)
    }
    const here = await visitAs(app, cats)
    // Files that were deleted together are in the order of their ids.
    const expected = order
      .map((id, index) => ({ id, at: index >> 2 }))
      .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
      .map(({ id }) => id)
    for (const start of ['/mine/trash', '/dashboard/files?show=trash']) {
      const shown: string[] = []
      for (let path: string | undefined = start; path !== undefined; ) {
        const { text } = await here.show(path)
        for (const [, id = ''] of text.matchAll(/name="(?:id|file)" value="(f\d+)\W/g)) shown.push(id)
        path = /href="([^"]*after=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      }
      assert.deepEqual(shown, expected, start)
    }
    const read = async (query: string) =>
      (await walk(app, cats, `GET files?trashed=true&limit=7&${query}`, { key })).map(({ id }) => id)
    assert.deepEqual(await read('sort=-deleted'), expected)
    assert.deepEqual(await read('sort=deleted'), expected.toReversed())

    const first = await ask5(app, cats, 'GET files?trashed=true&sort=-deleted&limit=5', { key })
    await ask5(app, cats, 'DELETE files/f125', { key })
    await ask5(app, cats, `POST files/${expected[6]}/restore`, { key })
    const { next_cursor: cursor } = first.json
    const next = await ask5(app, cats, `GET files?trashed=true&sort=-deleted&limit=3&cursor=${cursor}`, {
      key,
    })
    assert.deepEqual(
      next.json.data.map((file: { id: string }) => file.id),
      [expected[5], expected[7], expected[8]],
      'neither what was deleted meanwhile nor what was restored',
    )
    for (const query of ['sort=deleted', 'sort=-deleted&trashed=false'])
      assert.deepEqual(problem(await ask5(app, cats, `GET files?${query}`, { key })), [400, 'invalid'])
  })

  test('say which files a limit leaves in the trash', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await manyFiles(app, cats, 5)
    const key = await keyOf(app, cats, 'write')
    for (const id of ['f1', 'f2', 'f3']) await ask5(app, cats, `DELETE files/${id}`, { key })
    await onSiteOf(app, cats, recountTotals)
    await limit(app, cats, { SERVICE_MAX_FILES: '3' })
    const { send } = await visitAs(app, cats)
    const { text } = await send('/mine/trash', { action: 'restore' })
    assert.match(text, /1 file changed\.[\s\S]*2 files weren’t changed:[\s\S]*<li>[^<]*3/)
    const left = await ask5(app, cats, 'GET files?trashed=true&count=true', { key })
    assert.equal(left.json.total.value, 2)
  })

  test('cover the drawing of a file that is not safe for everyone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { listing: 'public' })
    const image = await uploaded(app, cats, { fields: { nsfw: '1', title: 'Bare' } })
    await trash(app, cats, [image.id_encoded])
    const { show } = await visitAs(app, cats)
    assert.doesNotMatch((await show('/mine/trash')).text, /files\/\w+\/picture"/)
    assert.match(
      (await show(`/mine/trash/${image.id_encoded}`)).text,
      /<details class="cover">[\s\S]*picture"/,
    )
  })
})
