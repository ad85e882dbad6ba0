import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { editUser, removeUserKey } from '../../src/accounts/index.ts'
import { inTransaction } from '../../src/db/index.ts'
import {
  createAlbum,
  createCategory,
  listFiles,
  removeAlbum,
  removeCategory,
  removeUser,
} from '../../src/media/index.ts'
import { addToTotal, type ChangingSite } from '../../src/site/index.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { startServers, times } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import {
  onSiteOf,
  refusalOf,
  type Sending,
  statsOf,
  type TestTenant,
  upload,
  userWithKey,
} from '../support/uploads.ts'

const storedFiles = (app: TestApp) =>
  globSync('sites/*/files/**/*.png', { cwd: app.dataDir }).map((path) => join(app.dataDir, path))

/** Lets an upload come as far as its row, and has something happen before that is inserted. */
async function uploadMeanwhile(
  app: TestApp,
  cats: TestTenant,
  sending: Sending,
  change: (site: ChangingSite) => Promise<unknown>,
): Promise<Answer> {
  return onSiteOf(app, cats, async (site) => {
    let answered: Promise<Answer> | undefined
    await inTransaction(site.db, async (db) => {
      await addToTotal(db, 'files', 0)
      answered = upload(app, cats, sending)
      await until(() => storedFiles(app).length > 0, 'The upload has stored its bytes')
      await change({ ...site, db })
    })
    return (await answered) as Answer
  })
}

onEachStore('what is gone before an upload is stored', (store) => {
  const cases: Record<
    string,
    {
      refusal: unknown[]
      fields?: 'album' | 'category'
      change: (site: ChangingSite, made: Made) => Promise<unknown>
    }
  > = {
    'an album': {
      refusal: [403, 403, 'album_id: is not an album of yours'],
      fields: 'album',
      change: (site, { albumId }) => removeAlbum(site, albumId),
    },
    'a category': {
      refusal: [400, 140, 'category_id: is not a category of this site'],
      fields: 'category',
      change: (site, { categoryId }) => removeCategory(site, categoryId),
    },
    'the user': {
      refusal: [400, 100, 'Invalid API key.'],
      change: (site) => removeUser(site, { username: 'bob', files: undefined }),
    },
    'the user, with the album': {
      refusal: [400, 100, 'Invalid API key.'],
      fields: 'album',
      change: (site) => removeUser(site, { username: 'bob', files: 'keep' }),
    },
    'the right to upload': {
      refusal: [400, 100, 'Invalid API key.'],
      change: (site) => editUser(site, { username: 'bob', isBanned: true }),
    },
    'the key': {
      refusal: [400, 100, 'Invalid API key.'],
      change: (site) => removeUserKey(site, { username: 'bob', name: 'tests' }),
    },
  }
  for (const [what, { refusal, fields, change }] of Object.entries(cases)) {
    test(`${what}: refused as if it had been gone before, and nothing is kept`, async () => {
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const { key } = await userWithKey(app, cats, 'bob')
      const made = await onSiteOf(app, cats, async (site) => ({
        albumId: (await createAlbum(site, { username: 'bob', title: 'His', privacy: 'public' })).id,
        categoryId: (await createCategory(site, { name: 'Art' })).id,
      }))
      const texts = { album: { album_id: made.albumId }, category: { category_id: String(made.categoryId) } }
      const sending = { key, fields: fields ? texts[fields] : {} }
      const answer = await uploadMeanwhile(app, cats, sending, (site) => change(site, made))
      assert.deepEqual(refusalOf(answer), refusal)
      assert.deepEqual(storedFiles(app), [])
      const { files, storage_used: bytes } = await statsOf(app, cats)
      assert.deepEqual([files, bytes], [0, 0])
      // And before anything is read, it is refused in the same words.
      assert.deepEqual(refusalOf(await upload(app, cats, sending)), refusal)
    })
  }

  test('races with uploads into it, and each is stored before or refused after', async () => {
    await using servers = await startServers(store)
    const { first: app, all } = servers
    const cats = await app.tenant('cats')
    const statuses: number[] = []
    for (const round of times(4, Number)) {
      const username = `bob${round}`
      const { key } = await userWithKey(app, cats, username)
      const album = await onSiteOf(app, cats, (site) =>
        createAlbum(site, { username, title: 'His', privacy: 'public' }),
      )
      const fields = { album_id: album.id }
      const uploads = times(8, (place) => upload(turnOf(all, place), cats, { key, fields }))
      // When some of them are through and some are not.
      await Promise.race(uploads)
      const gone = onSiteOf<unknown>(app, cats, (site) =>
        round % 2 === 0 ? removeAlbum(site, album.id) : removeUser(site, { username, files: 'keep' }),
      )
      statuses.push(...(await Promise.all(uploads)).map(({ status }) => status))
      await gone
    }
    assert.deepEqual(
      statuses.filter((status) => ![200, 400, 403].includes(status)),
      [],
    )
    const stored = statuses.filter((status) => status === 200).length
    assert.ok(stored >= 4)
    assert.equal((await statsOf(app, cats)).files, stored)
    const left = await onSiteOf(app, cats, (site) =>
      listFiles(site, { isPending: false, userId: undefined, limit: 100 }),
    )
    assert.deepEqual([left.length, left.filter(({ albumId }) => albumId !== undefined)], [stored, []])
  })
})

const turnOf = (all: readonly TestApp[], place: number) => all[place % all.length] as TestApp

interface Made {
  albumId: string
  categoryId: number
}
