import assert from 'node:assert/strict'
import { test } from 'vitest'
import { removeReported, restoreFileOfId } from '../../src/media/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { onSiteOf, picture, set, uploaded, userWithKey } from '../support/uploads.ts'

/** Files of bob, and keys of bob and of a manager. */
async function filesOfBob(app: TestApp, count: number) {
  const cats = await app.tenant('cats')
  const bob = await userWithKey(app, cats, 'bob')
  const eve = await userWithKey(app, cats, 'eve', 'manager')
  const own = await keyOf(app, cats, 'write', bob.userId)
  const staff = await keyOf(app, cats, 'admin', eve.userId)
  const ids: string[] = []
  for (let seed = 1; seed <= count; seed += 1) {
    const fields = { title: `Cat ${seed}` }
    ids.push((await uploaded(app, cats, { key: bob.key, file: await picture({ seed }), fields })).id_encoded)
  }
  const bulk = (key: string, action: string, some: readonly string[], more: object = {}) =>
    ask5(app, cats, 'POST files/bulk', { key, body: { action, ids: some, ...more } })
  const read = async (id: string, key = own) => {
    const { json } = await ask5(app, cats, `GET files/${id}`, { key })
    return [json.deleted_at !== null, json.removed_by, json.removal_reason]
  }
  return { cats, own, staff, ids, bulk, read }
}

const statusesOf = ({ json }: { json: { results: { status: number }[] } }) =>
  json.results.map(({ status }) => status)

onEachStore('what the staff has removed', (store) => {
  test('is shown to its owner with the reason, and restored by the staff alone', async () => {
    await using app = await startTestApp({ store })
    const { cats, own, staff, ids, bulk, read } = await filesOfBob(app, 4)
    const [rejected = '', trashed = '', thrown = '', plain = ''] = ids
    assert.deepEqual(await read(plain), [false, null, null])
    assert.deepEqual(statusesOf(await bulk(staff, 'reject', [rejected], { reason: ' not a cat ' })), [200])
    assert.deepEqual(statusesOf(await bulk(staff, 'trash', [trashed], { reason: 'twice' })), [200])
    assert.equal((await ask5(app, cats, `DELETE files/${plain}`, { key: own })).status, 204)
    assert.deepEqual(statusesOf(await bulk(own, 'trash', [thrown])), [200])
    assert.deepEqual(await read(rejected), [true, 'staff', 'not a cat'])
    assert.deepEqual(await read(trashed), [true, 'staff', 'twice'])
    assert.deepEqual(await read(plain), [true, 'owner', null])
    // Rejected while it is in the trash of its owner.
    assert.deepEqual(statusesOf(await bulk(staff, 'reject', [thrown], { reason: 'spam' })), [200])
    assert.deepEqual(await read(thrown), [true, 'staff', 'spam'])

    for (const id of [rejected, trashed, thrown])
      assert.deepEqual(problem(await ask5(app, cats, `POST files/${id}/restore`, { key: own })), [
        403,
        'forbidden',
      ])
    const restored = await bulk(own, 'restore', ids)
    assert.deepEqual(statusesOf(restored), [403, 403, 403, 200])
    assert.equal((await bulk(own, 'restore', [rejected, plain], { atomic: true })).status, 409)
    assert.deepEqual(await read(plain), [false, null, null])
    assert.deepEqual(await read(rejected), [true, 'staff', 'not a cat'])

    assert.deepEqual(statusesOf(await bulk(staff, 'restore', [rejected])), [200])
    assert.deepEqual(await read(rejected), [false, null, null])
    assert.equal((await ask5(app, cats, `POST files/${trashed}/restore`, { key: staff })).status, 200)
    await onSiteOf(app, cats, (site) => restoreFileOfId(site, thrown))
    assert.deepEqual(await read(thrown), [false, null, null])

    const admin = await keyOf(app, cats, 'admin')
    const rows = (await ask5(app, cats, 'GET audit?verb=file.rejected', { key: admin })).json.data
    assert.deepEqual(
      rows.map((row: { target: string; after: object }) => [row.target, row.after]).sort(),
      [
        [rejected, { reason: 'not a cat' }],
        [thrown, { reason: 'spam' }],
      ].sort(),
    )
    assert.equal(typeof rows[0].before.original_name, 'string')
  })

  test('is removed for good by its owner; a site without a trash records the reason', async () => {
    await using app = await startTestApp({ store })
    const { cats, own, staff, ids, bulk } = await filesOfBob(app, 2)
    const [first = '', second = ''] = ids
    await bulk(staff, 'reject', [first])
    const remove = `DELETE files/${first}?permanent=true`
    assert.equal((await ask5(app, cats, remove, { key: own })).status, 204)
    assert.equal((await ask5(app, cats, `GET files/${first}`, { key: staff })).status, 404)
    await set(app, cats, { trash_days: '0' })
    assert.deepEqual(statusesOf(await bulk(staff, 'reject', [second], { reason: 'spam' })), [200])
    const admin = await keyOf(app, cats, 'admin')
    const [row] = (await ask5(app, cats, 'GET audit?verb=file.rejected', { key: admin })).json.data
    assert.deepEqual([row.target, row.after], [second, { reason: 'spam' }])
  })

  test('is also what the staff trashes with an album, or by the tool; not what its owner does', async () => {
    await using app = await startTestApp({ store })
    const { cats, own, staff, ids, bulk, read } = await filesOfBob(app, 4)
    const albums: string[] = []
    for (const id of ids.slice(0, 2)) {
      const album = (await ask5(app, cats, 'POST albums', { key: own, body: { title: 'x' } })).json.id
      assert.deepEqual(statusesOf(await bulk(own, 'move', [id], { set: { album_id: album } })), [200])
      albums.push(album)
    }
    for (const [index, key] of [staff, own].entries())
      assert.equal((await ask5(app, cats, `DELETE albums/${albums[index]}?files=trash`, { key })).status, 204)
    const reported = ids[2] ?? ''
    const report = { body: { reason: 'spam' } }
    assert.ok((await ask5(app, cats, `POST files/${reported}/reports`, report)).status < 300)
    await onSiteOf(app, cats, (site) => removeReported(site, [reported]))
    await ask5(app, cats, `DELETE files/${ids[3]}`, { key: staff })
    const removers = []
    for (const id of ids) removers.push((await read(id))[1])
    assert.deepEqual(removers, ['staff', 'owner', 'staff', 'staff'])
    assert.deepEqual(statusesOf(await bulk(own, 'restore', ids)), [403, 200, 403, 403])
  })

  test('the reason has at most 500 characters, and belongs to reject and trash', async () => {
    await using app = await startTestApp({ store })
    const { own, staff, ids, bulk, read } = await filesOfBob(app, 1)
    for (const [action, reason] of [
      ['reject', 'x'.repeat(501)],
      ['trash', 'a\0'],
      ['restore', 'x'],
      ['reject', 7],
    ] as const)
      assert.deepEqual(problem(await bulk(staff, action, ids, { reason })), [400, 'invalid'], String(reason))
    assert.deepEqual(problem(await bulk(own, 'reject', ids)), [403, 'scope-missing'])
    const longest = '🐈'.repeat(500)
    assert.deepEqual(statusesOf(await bulk(staff, 'trash', ids, { reason: longest })), [200])
    assert.deepEqual(await read(ids[0] ?? ''), [true, 'staff', longest])
  })

  test('has no way back on the pages of its owner; the forms of the staff take a reason', async () => {
    await using app = await startTestApp({ store })
    const { cats, staff, ids, read } = await filesOfBob(app, 3)
    const [rejected = '', second = '', third = ''] = ids
    const versionOf = async (id: string) =>
      (await ask5(app, cats, `GET files/${id}`, { key: staff })).json.version
    const eve = await visitAs(app, cats, { login: 'eve', password: 'a long password' })
    assert.match((await eve.show('/dashboard/files')).text, /<textarea[^>]*name="reason"/)
    const reason = 'Not <b>a cat'
    const decide = async (path: string, action: string, id: string) =>
      eve.send(path, { action, file: `${id}.${await versionOf(id)}`, reason })
    assert.equal((await decide('/dashboard/queue', 'reject', rejected)).status, 303)
    const tooLong = { action: 'trash', file: `${second}.${await versionOf(second)}`, reason: 'x'.repeat(501) }
    assert.equal((await eve.send('/dashboard/reports', tooLong)).status, 400)

    const bob = await visitAs(app, cats, { login: 'bob', password: 'a long password' })
    const restoring = /value="restore"/
    const trash = (await bob.show('/mine/trash')).text
    assert.match(trash, /Reason: Not &lt;b&gt;a cat/)
    assert.doesNotMatch(trash, restoring)
    const page = (await bob.show(`/mine/trash/${rejected}`)).text
    assert.match(page, /Reason: Not &lt;b&gt;a cat/)
    assert.doesNotMatch(page, restoring)
    assert.match((await eve.show(`/mine/trash/${rejected}`)).text, restoring)
    const refused = await bob.send('/mine/selected', { action: 'restore', id: rejected, to: '/mine/trash' })
    assert.match(refused.text, /An administrator removed this file/)

    assert.equal((await decide('/dashboard/reports', 'trash', second)).status, 303)
    await bob.send('/mine/selected', { action: 'trash', id: third })
    assert.match((await bob.show('/mine/trash')).text, restoring)
    assert.equal((await bob.send('/mine/trash', { action: 'restore' })).status, 303)
    assert.deepEqual(await read(third), [false, null, null])
    for (const id of [rejected, second]) assert.deepEqual(await read(id), [true, 'staff', reason])
    assert.equal((await bob.send('/mine/trash', { action: 'remove', save: '1' })).status, 303)
    assert.doesNotMatch((await bob.show('/mine/trash')).text, /Reason/)
  })
})
