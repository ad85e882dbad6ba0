import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'vitest'
import { approveAllFiles, approveFiles, fileOfId, listFiles } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { toolOfCats } from '../support/tool.ts'
import { onSiteOf, picture, set, statsOf, uploaded, userWithKey } from '../support/uploads.ts'

const publicKey = 'a-key-for-every-guest'

/** A site where all uploads of users and guests wait: two files of guests, one of Bob, and one of Ada, which does not wait. */
async function prepareFiles(app: TestApp) {
  const cats = await app.tenant('cats')
  await set(app, cats, { moderation: 'all', public_key: publicKey })
  const bob = await userWithKey(app, cats, 'bob')
  const send = async (key: string, seed: number) =>
    uploaded(app, cats, {
      key,
      file: await picture({ seed }),
      fileName: `p${seed}.png`,
      fields: { tags: 'a,b' },
    })
  const guests = [await send(publicKey, 1), await send(publicKey, 2)]
  const [his, hers] = [await send(bob.key, 3), await send(cats.apiKey, 4)]
  const { run, json } = toolOfCats(app.environment)
  const pending = async () =>
    (await json('file:list', '--pending')).map(({ id }: { id: string }) => id).sort()
  return { cats, guests, his, hers, run, json, pending }
}

onEachStore('files held back', (store) => {
  test('are listed as pending and not served', async () => {
    await using app = await startTestApp({ store })
    const { guests, his, hers, pending } = await prepareFiles(app)
    const idsOf = (images: { id_encoded: string }[]) => images.map((image) => image.id_encoded).sort()
    assert.deepEqual(await pending(), idsOf([...guests, his]))
    assert.equal(hers.is_approved, 1)
    for (const { url, url_viewer } of [...guests, his])
      for (const address of [url, url_viewer]) assert.equal((await ask(app, address)).status, 404)
  })

  test('are in the list of all files, which is filtered by user and searched', async () => {
    await using app = await startTestApp({ store })
    const { run, json } = await prepareFiles(app)
    const all = await json('file:list')
    assert.deepEqual(
      all.map(({ filename }: any) => filename),
      ['p4.png', 'p3.png', 'p2.png', 'p1.png'],
    )
    assert.deepEqual(
      all.map(({ username }: any) => username),
      ['ada', 'bob', null, null],
    )
    assert.deepEqual((await json('file:list', '--username', 'BOB')).length, 1)
    assert.deepEqual(
      (await json('search', '--query', 'p3')).map(({ filename }: any) => filename),
      ['p3.png'],
    )
    assert.deepEqual((await json('search', '--query', 'png -p3 -p4')).length, 2)
    assert.equal((await run('search', '--query', '!!!')).code, 1)
    const two = await run('file:list', '--limit', '2')
    assert.equal(two.out.trim().split('\n').length, 3)
    assert.match(two.out, /^ID\tNAME\tKIND\tWIDTH × HEIGHT\tSIZE\tUSER\tALBUM\tAPPROVED\tPRIVATE\tCREATED\n/)
    assert.match(two.err, /There are more/)
    for (const words of [
      ['--limit', '0'],
      ['--limit', 'x'],
    ])
      assert.equal((await run('file:list', ...words)).code, 2)
    assert.match((await run('file:list', '--username', 'eve')).err, /There is no user "eve"/)
  })

  test('are shown with the path of their bytes', async () => {
    await using app = await startTestApp({ store })
    const { his, run, json } = await prepareFiles(app)
    const shown = await json('file:show', '--id', his.id_encoded)
    assert.deepEqual(
      [shown.username, shown.is_approved, shown.width, shown.tags, shown.url, shown.url_viewer],
      ['bob', false, 40, ['a', 'b'], his.url, his.url_viewer],
    )
    // The file is not served, so the operator looks at it on the disk.
    const record = (await run('file:show', '--id', his.id_encoded)).out
    assert.equal(existsSync(/^stored at\t(.*)$/m.exec(record)?.[1] ?? ''), true)
  })

  test('are served once they are approved, by id or all at once', async () => {
    await using app = await startTestApp({ store })
    const { guests, his, hers, run, json, pending } = await prepareFiles(app)
    const unknown = await run('file:approve', '--id', `${his.id_encoded},nobody`)
    assert.deepEqual([unknown.code, unknown.err], [1, 'There is no file "nobody".\n'])
    assert.equal((await pending()).length, 3)
    const ids = [his, hers, his].map((image) => image.id_encoded).join(', ')
    assert.deepEqual(await json('file:approve', '--id', ids), { approved: 1 })
    for (const address of [his.url, his.url_viewer]) assert.equal((await ask(app, address)).status, 200)
    assert.equal((await run('file:approve', '--all')).out, 'Approved 2 files.\n')
    assert.equal((await run('file:approve', '--all')).out, 'No files were waiting for approval.\n')
    for (const { url } of guests) assert.equal((await ask(app, url)).status, 200)
    const empty = await run('file:list', '--pending')
    assert.deepEqual([empty.out, empty.err], ['', 'No files wait for approval.\n'])
    for (const words of [[], ['--id', 'x', '--all'], ['--id', 'a b']])
      assert.equal((await run('file:approve', ...words)).code, 2)
  })

  test('are deleted', async () => {
    await using app = await startTestApp({ store })
    const { cats, his, run, json } = await prepareFiles(app)
    const before = await statsOf(app, cats)
    assert.deepEqual(await json('file:delete', '--id', his.id_encoded), { id: his.id_encoded, deleted: true })
    const after = await statsOf(app, cats)
    assert.equal(after.files, 3)
    assert.ok((after.storage_used ?? 0) < (before.storage_used ?? 0))
    assert.equal((await ask(app, his.url)).status, 404)
    for (const verb of ['file:delete', 'file:show']) {
      const { code, err } = await run(verb, '--id', his.id_encoded)
      assert.deepEqual([code, err], [1, `There is no file "${his.id_encoded}".\n`])
    }
  })

  test('are none at first', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const { run } = toolOfCats(app.environment)
    const none = await run('file:list')
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'There are no files.\n'])
  })

  test('that have expired are not listed, approved or shown', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { moderation: 'all', public_key: publicKey })
    const image = await uploaded(app, cats, { key: publicKey, fields: { expiration: 'PT5M' } })
    const filter = { isPending: true, userId: undefined, limit: 10 }
    await onSiteOf(app, cats, async (site) => {
      assert.equal((await listFiles(site, filter)).length, 1)
      app.wait(301)
      assert.deepEqual(await listFiles(site, filter), [])
      assert.equal(await approveAllFiles(site), 0)
      for (const verb of [
        () => approveFiles(site, [image.id_encoded]),
        () => fileOfId(site, image.id_encoded),
      ])
        await assert.rejects(verb, { code: 'file-not-found' })
    })
    assert.equal((await ask(app, image.url)).status, 404)
  })
})
