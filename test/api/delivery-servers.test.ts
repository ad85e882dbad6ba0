import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allAlbums, editAlbum } from '../../src/media/index.ts'
import { moveTenant } from '../../src/tenants/index.ts'
import { answerTo, notTaken, requestOf, startFastPath } from '../support/clients/fast-path.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { runHere } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, set, type TestTenant, uploaded } from '../support/uploads.ts'

interface Stage {
  here: TestApp
  there: TestApp
  cats: TestTenant
  image: { url: string; delete_url: string; id_encoded: string }
  key: string
  album: string
}

interface Change {
  what: string
  status: number
  make: (stage: Stage) => Promise<unknown>
  undo?: (stage: Stage) => Promise<unknown>
}

const call =
  (...[method, body]: [method: string, body?: unknown]) =>
  async ({ here, cats, image, key }: Stage) => {
    const { status, text } = await ask5(here, cats, method.replace('ID', image.id_encoded), { key, body })
    assert.ok(status < 300, text)
  }

const tool =
  (...words: string[]) =>
  async ({ here, image, album }: Stage) => {
    const given = words.map((word) => ({ ID: image.id_encoded, ALBUM: album })[word] ?? word)
    const { code, err } = await runHere(['site', '--tenant', 'cats', ...given], here.environment)
    assert.equal(code, 0, err)
  }

const privacyOf =
  (privacy: 'public' | 'private') =>
  ({ here, cats, album }: Stage) =>
    onSiteOf(here, cats, (site) => editAlbum(site, { id: album, privacy }))

/** Made on one server, or by the tool; the other server is asked for the file right afterwards. */
const changes: Change[] = [
  {
    what: 'the deletion by its link',
    status: 404,
    make: ({ here, image }) => ask(here, image.delete_url, {}, 'DELETE'),
  },
  { what: 'the trash', status: 404, make: call('DELETE files/ID') },
  { what: 'privacy', status: 404, make: call('PATCH files/ID', { is_private: true }) },
  {
    what: 'other bytes',
    status: 200,
    make: async ({ here, cats, image, key }) => {
      const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' }
      const bytes = await picture({ seed: 9 })
      const path = `/api/5/files/${image.id_encoded}/content`
      assert.equal((await here.send('PUT', path, { bytes, headers })).status, 200)
    },
  },
  {
    what: 'an approval that is withdrawn',
    status: 404,
    make: ({ here, cats }) =>
      onSiteOf(here, cats, (site) => site.db.updateTable('file').set({ isApproved: 0 }).execute()),
  },
  {
    what: 'an end that has come',
    status: 404,
    make: async (stage) => {
      await call('PATCH files/ID', { expires_at: new Date(Date.now() + 60_000).toISOString() })(stage)
      stage.there.wait(61)
    },
    undo: async ({ there }) => there.wait(-61),
  },
  { what: 'the privacy of its album', status: 404, make: privacyOf('private'), undo: privacyOf('public') },
  {
    what: 'a setting',
    status: 404,
    make: async (stage) => {
      await set(stage.here, stage.cats, { protect_bytes: '0' })
      await privacyOf('private')(stage)
      // Still open: the setting alone protects it.
      assert.equal((await ask(stage.there, stage.image.url)).status, 200)
      await warmed(stage)
      await set(stage.here, stage.cats, { protect_bytes: '1' })
    },
    undo: privacyOf('public'),
  },
  { what: 'the tool', status: 404, make: tool('file:delete', '--id', 'ID') },
  {
    what: 'the tool that edits its album',
    status: 404,
    make: tool('album:edit', '--id', 'ALBUM', '--privacy', 'private'),
    undo: privacyOf('public'),
  },
]

/** Asks the other server until it answers without the framework. */
async function warmed({ there, image }: { there: TestApp; image: { url: string } }): Promise<void> {
  await using fastPath = await startFastPath(there)
  await until(async () => {
    assert.equal((await ask(there, image.url)).status, 200)
    return (await answerTo(fastPath.port, requestOf(image.url))) !== notTaken
  }, 'the other server answers from memory')
}

test('on PostgreSQL a server that answers from memory sees each change of another at once', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using there = await startTestApp({ beside: here })
  await using fastPath = await startFastPath(there)
  const cats = await here.tenant('cats')
  const key = await keyOf(here, cats, 'admin')
  const created = await ask5(here, cats, 'POST albums', { key, body: { title: 'Mine', privacy: 'public' } })
  const album = String(created.json.id)
  for (const [seed, { what, status, make, undo }] of changes.entries()) {
    const file = await picture({ seed: seed + 100 })
    const image = await uploaded(here, cats, { key, file, fields: { album_id: album } })
    const stage = { here, there, cats, image, key, album }
    await warmed(stage)
    const before = await ask(there, image.url)
    await make(stage)
    assert.equal(await answerTo(fastPath.port, requestOf(image.url)), notTaken, what)
    const after = await ask(there, image.url)
    assert.equal(after.status, status, what)
    if (status === 200) assert.ok(!after.bytes.equals(before.bytes), what)
    await undo?.(stage)
  }
})

test('on PostgreSQL pictures in other sizes, by presets and signed addresses are answered from memory, until they change', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using there = await startTestApp({ beside: here })
  await using fastPath = await startFastPath(there)
  const cats = await here.tenant('cats')
  const key = await keyOf(here, cats, 'admin')
  const { url, id_encoded: id } = await uploaded(here, cats, { key, file: await picture({ seed: 5 }) })
  const preset = (options: object) =>
    ask5(here, cats, 'PUT presets/small', { key, body: options }).then(({ status, text }) =>
      assert.ok(status < 300, text),
    )
  await preset({ width: 40 })
  const isTaken = async (address: string) => (await answerTo(fastPath.port, requestOf(address))) !== notTaken
  const [sized, named] = [`${url}?width=320`, `${url}?preset=small`]
  for (const address of [sized, named]) await warmed({ there, image: { url: address } })
  const before = await ask(there, named)
  await preset({ width: 30 })
  assert.deepEqual([await isTaken(sized), await isTaken(named)], [false, false])
  const after = await ask(there, named)
  assert.equal(after.status, 200)
  assert.ok(!after.bytes.equals(before.bytes))

  await ask5(here, cats, `PATCH files/${id}`, { key, body: { is_private: true } })
  assert.equal((await ask(there, sized)).status, 404)
  const signed = (await ask5(here, cats, `GET files/${id}`, { key })).json.url as string
  await warmed({ there, image: { url: signed } })
  await ask5(here, cats, `PATCH files/${id}`, { key, body: { is_private: false } })
  await ask5(here, cats, `PATCH files/${id}`, { key, body: { is_private: true } })
  assert.equal(await isTaken(signed), false)
  assert.equal((await ask(there, signed)).status, 404)
})

test('on PostgreSQL each of many changes is seen by the next request, while other sites are written', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using there = await startTestApp({ beside: here })
  const [cats, dogs] = [await here.tenant('cats'), await here.tenant('dogs')]
  const image = await uploaded(here, cats)
  await warmed({ there, image })
  const ended = new AbortController()
  const writing = Promise.all(
    [here, there].map(async (app) => {
      while (!ended.signal.aborted) await set(app, dogs, { listing: Math.random() < 0.5 ? 'public' : 'off' })
    }),
  )
  const approve = (isApproved: 0 | 1) =>
    onSiteOf(here, cats, ({ db }) => db.updateTable('file').set({ isApproved }).execute())
  const readers = async (status: number) => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(there, image.url)))
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(6).fill(status),
    )
  }
  for (let round = 0; round < 15; round += 1) {
    await approve(0)
    await readers(404)
    await approve(1)
    for (let time = 0; time < 3; time += 1) await readers(200)
  }
  ended.abort()
  await writing
})

test('on PostgreSQL a site that has moved to another database is answered from memory there', async () => {
  await using database = await otherDatabase()
  await using here = await startTestApp({ store: 'postgres' })
  const cats = await here.tenant('cats')
  const image = await uploaded(here, cats)
  await warmed({ there: here, image })
  await here.call('PATCH', 'tenants/cats', { env: { SERVICE_DATABASE_URL: database.url } })
  assert.equal((await moveTenant(here.app.control, 'cats')).isMoved, true)
  await warmed({ there: here, image })
  await onSiteOf(here, cats, async ({ db }) => {
    assert.equal((await allAlbums(db)).length, 0)
    await db.updateTable('file').set({ isApproved: 0 }).execute()
  })
  assert.equal((await ask(here, image.url)).status, 404)
})
