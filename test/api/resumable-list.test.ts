import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUser } from '../../src/accounts/index.ts'
import { type create, created, head, patch, terminate } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { onSiteOf, picture, set, type TestTenant } from '../support/uploads.ts'

const bob = { username: 'bob', email: 'bob@example.com', password: 'bobs password', role: 'user' } as const

async function keyOfBob(app: TestApp, tenant: TestTenant): Promise<string> {
  const { id } = await onSiteOf(app, tenant, (site) => createUser(site, bob))
  return keyOf(app, tenant, 'upload', id)
}

onEachStore('the list of unfinished uploads', (store) => {
  test('has your own that are not over, the youngest first, page by page', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof create>[0] = [app, cats]
    const [key, reader] = [await keyOf(app, cats, 'upload'), await keyOf(app, cats, 'read')]
    const ofBob = await keyOfBob(app, cats)
    const bytes = await picture()
    const list = async (caller: string, query = '') =>
      (await ask5(app, cats, `GET uploads${query}`, { key: caller })).json
    const names = async (caller: string) =>
      (await list(caller)).data.map(({ filename }: { filename: string }) => filename)
    assert.deepEqual(await list(key), { data: [], next_cursor: null })

    const make = async (filename: string, length = 1_000) => {
      app.wait(1)
      return created(ends, { key, length, metadata: { filename } })
    }
    const begun = await make('Süße Katze.png')
    const [done, left, nameless] = [
      await make('done.png', bytes.length),
      await make('left.png'),
      await created(ends, { key, length: 5, metadata: {} }),
    ]
    await created(ends, { key: ofBob, length: 10, metadata: { filename: 'of bob.png' } })
    assert.equal((await patch(ends, begun, { key, offset: 0, bytes: bytes.subarray(0, 60) })).status, 204)
    assert.equal((await patch(ends, done, { key, offset: 0, bytes })).status, 204)
    assert.equal((await terminate(ends, nameless, key)).status, 204)
    assert.deepEqual(await names(key), ['left.png', 'Süße Katze.png'])
    assert.deepEqual(await names(ofBob), ['of bob.png'])

    const first = await list(key, '?limit=1')
    assert.equal(first.data[0].id, left)
    const second = await list(key, `?limit=1&cursor=${first.next_cursor}`)
    assert.equal(second.next_cursor, null)
    const [{ created_at: createdAt, expires_at: expiresAt, ...rest }] = second.data
    assert.deepEqual(rest, { id: begun, filename: 'Süße Katze.png', size: 1_000, offset: 60 })
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(Date.parse(expiresAt) > Date.parse(createdAt) + 86_399_000)

    assert.deepEqual(problem(await ask5(app, cats, 'GET uploads', { key: reader })), [403, 'scope-missing'])
    assert.deepEqual(problem(await ask5(app, cats, 'GET uploads')), [401, 'unauthenticated'])
    await set(app, cats, { public_key: 'a-public-key-of-cats' })
    const guest = await ask5(app, cats, 'GET uploads', { key: 'a-public-key-of-cats' })
    assert.deepEqual(problem(guest), [401, 'unauthenticated'])
    const { headers } = await logIn(app, cats)
    assert.equal((await ask5(app, cats, 'GET uploads', { headers })).json.data.length, 2)
    app.wait(25 * 3_600)
    assert.deepEqual(await names(key), [], 'their time is over, before any job has run')
  })

  test('shows a key that is bound to an album the uploads into that album', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = await ask5(app, cats, 'POST albums', { key, body: { title: 'Cats' } })
    const body = { name: 'bound', scope: 'upload', album_id: album.json.id }
    const bound = (await ask5(app, cats, 'POST keys', { key, body })).json.key
    await created([app, cats], { key, length: 10, metadata: { filename: 'loose.png' } })
    await created([app, cats], { key: bound, length: 10, metadata: { filename: 'in the album.png' } })
    const { json } = await ask5(app, cats, 'GET uploads', { key: bound })
    assert.deepEqual(
      json.data.map(({ filename }: { filename: string }) => filename),
      ['in the album.png'],
    )
  })

  test('is on the settings page, where a form without script cancels an upload', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    assert.match((await here.show('/settings/uploads')).text, /You have no unfinished uploads/)
    const [key, ofBob] = [await keyOf(app, cats, 'upload'), await keyOfBob(app, cats)]
    const metadata = { filename: '<b>holiday</b>.mp4' }
    const id = await created([app, cats], { key, length: 2_000_000, metadata })
    const foreign = await created([app, cats], { key: ofBob, length: 10 })
    await patch([app, cats], id, { key, offset: 0, bytes: Buffer.alloc(500_000, 1) })
    const { text } = await here.show('/settings/uploads')
    assert.match(text, /&lt;b&gt;holiday&lt;\/b&gt;\.mp4/)
    assert.match(text, /500 KB of 2 MB/)
    assert.match(text, /<progress[^>]* value="500000" max="2000000"/)
    assert.match(text, /in 24 hours/)
    assert.doesNotMatch(text, new RegExp(foreign))
    const [action = ''] = /\/settings\/uploads\/\w+\/cancel/.exec(text) ?? []
    assert.equal(action, `/settings/uploads/${id}/cancel`)

    for (let time = 0; time < 2; time += 1) {
      const canceled = await here.send(action, {})
      assert.deepEqual([canceled.status, canceled.headers.location], [303, '/settings/uploads?canceled=1'])
    }
    assert.match((await here.show('/settings/uploads?canceled=1')).text, /Upload cancelled/)
    assert.equal((await head([app, cats], id, key)).status, 410)
    const rows = await onSiteOf(app, cats, ({ db }) => db.selectFrom('uploadPiece').selectAll().execute())
    assert.deepEqual(rows, [])
    await here.send(`/settings/uploads/${foreign}/cancel`, {})
    assert.equal((await head([app, cats], foreign, ofBob)).status, 200, 'another user’s upload stays')
    assert.equal((await here.send('/settings/uploads/%00/cancel', {})).status, 404)
  })
})
