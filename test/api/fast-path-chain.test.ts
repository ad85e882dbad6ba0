import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allAlbums, createAlbum, editAlbum, findBytesSync } from '../../src/media/index.ts'
import { changeSetting, lastRowsToken } from '../../src/site/index.ts'
import { moveTenant, siteSync } from '../../src/tenants/index.ts'
import { knownTenantOfHost } from '../../src/tenants/tenants.ts'
import { answerTo, longWayTo, notTaken, requestOf, startFastPath } from '../support/clients/fast-path.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** The objects of docs/fast-path.md, as the fast path finds them for this file now. */
function chainOf({ app: { control } }: TestApp, url: string) {
  const { hostname, pathname } = new URL(url)
  const at = pathname.lastIndexOf('/')
  const tenant = knownTenantOfHost(control, hostname)
  const site = siteSync(control, hostname)
  const path = { folder: pathname.slice(1, at), fileName: pathname.slice(at + 1) }
  const token = site && lastRowsToken(site)
  const found = site && token && findBytesSync(site, path, token)
  return { tenant, values: site?.values, site, row: found?.file, found }
}

type Chain = ReturnType<typeof chainOf>

/** Names of the objects that are there and are the same ones as before. */
const sameOf = (before: Chain, now: Chain) =>
  Object.entries(before).flatMap(([name, object]) =>
    object !== undefined && now[name as keyof Chain] === object ? [name] : [],
  )

const all = ['tenant', 'values', 'site', 'row', 'found']

interface Stage {
  app: TestApp
  cats: TestTenant
  image: { url: string; delete_url: string; id_encoded: string }
}

interface Change {
  what: string
  /** Objects that stay the same ones. */
  kept: string[]
  /** Of the fast path alone, before the long way has read anything anew. */
  isTaken: boolean
  status: number
  /** Of the upload. */
  fieldsOf?: (app: TestApp, cats: TestTenant) => Promise<Record<string, string>>
  make: (stage: Stage) => Promise<unknown>
}

const edit =
  (fields: object) =>
  async ({ app }: Stage) =>
    assert.equal((await app.call('PATCH', 'tenants/cats', fields)).status, 204)

const changes: Change[] = [
  { what: 'nothing', kept: all, isTaken: true, status: 200, make: async () => undefined },
  { what: 'the hostname', kept: [], isTaken: false, status: 404, make: edit({ hostname: 'moved.test' }) },
  {
    what: 'whether the tenant is enabled',
    kept: [],
    isTaken: false,
    status: 403,
    make: edit({ is_enabled: false }),
  },
  {
    what: 'a limit of the tenant',
    kept: [],
    isTaken: false,
    status: 200,
    make: edit({ limits: { SERVICE_MAX_FILES: '9' } }),
  },
  {
    what: 'the environment of the tenant',
    kept: [],
    isTaken: false,
    status: 200,
    make: edit({ env: { SERVICE_ENABLE_SIGNUP: '1' } }),
  },
  {
    what: 'the plan',
    kept: [],
    isTaken: false,
    status: 200,
    make: async (stage) => {
      await stage.app.call('POST', 'tenants-plans', { id: 'small', env: { SERVICE_ENABLE_SIGNUP: '1' } })
      await edit({ plan_id: 'small' })(stage)
    },
  },
  {
    what: 'another tenant',
    kept: [],
    isTaken: false,
    status: 200,
    make: ({ app }) => app.tenant('dogs'),
  },
  {
    what: 'the deletion of the tenant',
    kept: [],
    isTaken: false,
    status: 404,
    make: ({ app }) => app.call('DELETE', 'tenants/cats'),
  },
  {
    what: 'the deletion of the file',
    kept: ['tenant', 'values', 'site'],
    isTaken: false,
    status: 404,
    make: ({ app, image }) => ask(app, image.delete_url, {}, 'DELETE'),
  },
  {
    what: 'the trash',
    kept: ['tenant', 'values', 'site'],
    isTaken: false,
    status: 404,
    make: async ({ app, cats, image }) =>
      ask5(app, cats, `DELETE files/${image.id_encoded}`, { key: await keyOf(app, cats, 'write') }),
  },
  {
    // The new bytes have a key of their own, so the cache has none of them yet.
    what: 'the bytes of the file',
    kept: ['tenant', 'values', 'site'],
    isTaken: false,
    status: 200,
    make: async ({ app, cats, image }) => {
      const key = await keyOf(app, cats, 'write')
      const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' }
      const bytes = await picture({ seed: 9 })
      const path = `/api/5/files/${image.id_encoded}/content`
      assert.equal((await app.send('PUT', path, { bytes, headers })).status, 200)
    },
  },
  {
    what: 'the expiration of the file',
    kept: ['tenant', 'values', 'site'],
    isTaken: false,
    status: 404,
    fieldsOf: async () => ({ expiration: 'PT5M' }),
    make: async ({ app }) => app.wait(300),
  },
  {
    what: 'the approval of the file',
    kept: ['tenant', 'values', 'site'],
    isTaken: false,
    status: 404,
    make: ({ app, cats }) =>
      onSiteOf(app, cats, (site) => site.db.updateTable('file').set({ isApproved: 0 }).execute()),
  },
  {
    // A new site protects the bytes of private albums: the row is read again, and the long way asks for a signature.
    what: 'the privacy of the album',
    kept: ['tenant', 'values', 'site'],
    isTaken: false,
    status: 404,
    fieldsOf: (app, cats) =>
      onSiteOf(app, cats, async (site) => {
        const { id } = await createAlbum(site, { username: 'ada', title: 'Mine', privacy: 'public' })
        return { album_id: id }
      }),
    make: ({ app, cats }) =>
      onSiteOf(app, cats, async (site) => {
        const [album] = await allAlbums(site.db)
        return editAlbum(site, { id: album?.id ?? '', privacy: 'private' })
      }),
  },
  {
    what: 'the privacy on an older site',
    kept: ['tenant', 'values', 'site'],
    isTaken: true,
    status: 200,
    fieldsOf: (app, cats) =>
      onSiteOf(app, cats, async (site) => {
        await changeSetting(site, 'protect_bytes', '0')
        const { id } = await createAlbum(site, { username: 'ada', title: 'Mine', privacy: 'public' })
        return { album_id: id }
      }),
    make: ({ app, cats }) =>
      onSiteOf(app, cats, async (site) => {
        const [album] = await allAlbums(site.db)
        return editAlbum(site, { id: album?.id ?? '', privacy: 'private' })
      }),
  },
  {
    what: 'the location of the site',
    kept: [],
    isTaken: false,
    status: 200,
    make: async ({ app }) => {
      const database = await otherDatabase()
      moved.push(database)
      await app.call('PATCH', 'tenants/cats', { env: { SERVICE_DATABASE_URL: database.url } })
      assert.equal((await moveTenant(app.app.control, 'cats')).isMoved, true)
    },
  },
]

const moved: AsyncDisposable[] = []

test.for(changes)(
  'the fast path notices a change of $what',
  async ({ kept, isTaken, status, fieldsOf, make }) => {
    await using ended = new AsyncDisposableStack()
    ended.defer(async () => {
      for (const database of moved.splice(0)) await database[Symbol.asyncDispose]()
    })
    await using app = await startTestApp()
    await using fastPath = await startFastPath(app)
    const cats = await app.tenant('cats')
    const fields = (await fieldsOf?.(app, cats)) ?? {}
    const image = await uploaded(app, cats, { fields })
    const request = requestOf(image.url)
    assert.equal((await ask(app, image.url)).status, 200)
    const before = chainOf(app, image.url)
    const isExpiring = 'expiration' in fields
    // The row of a file that expires is read each time.
    const repeatable = isExpiring ? all.filter((name) => name !== 'row' && name !== 'found') : all
    assert.deepEqual(sameOf(before, chainOf(app, image.url)), repeatable)
    const answer = await answerTo(fastPath.port, request)
    assert.match(answer, /^HTTP\/1\.1 200 /)

    await make({ app, cats, image })
    assert.deepEqual(sameOf(before, chainOf(app, image.url)), kept)
    assert.equal((await answerTo(fastPath.port, request)) === notTaken, !isTaken)
    const [line = ''] = (await answerTo(app.port, request)).split('\r\n')
    assert.ok(line.startsWith(`HTTP/1.1 ${status} `), line)
  },
)

test('sends protected bytes for a signed address alone, until it ends or the row says otherwise', async () => {
  await using app = await startTestApp()
  await using fastPath = await startFastPath(app)
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Mine', privacy: 'private' } }))
    .json
  const { id_encoded: id } = await uploaded(app, cats, { fields: { album_id: album.id } })
  const addressOf = async () => (await ask5(app, cats, `GET files/${id}`, { key })).json.url as string
  const target = (url: string) => new URL(url).pathname + new URL(url).search
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: cats.test\r\nConnection: close\r\n\r\n`
  const taken = (path: string) => answerTo(fastPath.port, request(path))
  const status = async (path: string) => (await answerTo(app.port, request(path))).slice(9, 12)
  const path = target(await addressOf())
  assert.equal(await status(path), '200')
  const long = await answerTo(app.port, request(longWayTo(path)))
  for (let time = 0; time < 2; time += 1) assert.equal(await taken(path), long)
  const wrong = path.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  for (const refused of [
    wrong,
    `${path}&a=b`,
    path.split('?')[0] ?? '',
    `${path.split('?')[0]}?e=9999999999`,
  ]) {
    assert.equal(await taken(refused), notTaken, refused)
    assert.equal(await status(refused), '404', refused)
  }
  const endsAt = Number(new URLSearchParams(path.split('?')[1]).get('e'))
  const left = endsAt - Math.floor(app.app.control.clock.now().getTime() / 1_000)
  app.wait(left - 1)
  assert.match(await taken(path), /^HTTP\/1\.1 200 [\s\S]*private, max-age=[01]\r/)
  app.wait(1)
  assert.deepEqual([await taken(path), await status(path)], [notTaken, '410'])

  const later = target(await addressOf())
  assert.match(await taken(later), /^HTTP\/1\.1 200 /)
  await onSiteOf(app, cats, (site) =>
    editAlbum(site, { id: album.id, privacy: 'password', password: 'nine lives' }),
  )
  assert.deepEqual([await taken(later), await status(later)], [notTaken, '404'])
})
