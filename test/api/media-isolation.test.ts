import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { type SiteDb, type SiteTableName, siteTableNames } from '../../src/db/tables.ts'
import { createAlbum } from '../../src/media/index.ts'
import { mediaRoutes } from '../../src/routes.ts'
import { created } from '../support/clients/resumable.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keepsConnections, keptConnections, keyOf, logIn } from '../support/media.ts'
import { runsOf } from '../support/tiers.ts'
import { onSiteOf, set, type TestTenant, uploaded, userWithKey, writeViews } from '../support/uploads.ts'

const canary = 'canary-of-dogs'

/** Every row of a site, in an order of its own. */
const dumpOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => {
    const tables = await Promise.all(siteTableNames.map((name) => rowsOf(db, name)))
    return Object.fromEntries(siteTableNames.map((name, index) => [name, tables[index]]))
  })

const rowsOf = async (db: SiteDb, name: SiteTableName) => {
  const rows = await db.selectFrom(name).selectAll().execute()
  return rows.map((row) => JSON.stringify(row)).sort()
}

interface Secrets {
  ids: readonly string[]
  cursors: readonly string[]
  keys: readonly string[]
  cookie: string
}

/** A site with one of everything, and all that could lead to it. */
async function furnish(app: TestApp, tenant: TestTenant): Promise<Secrets> {
  await set(app, tenant, { public_key: `${canary}-public-key`, listing: 'public' })
  const keys = [await keyOf(app, tenant, 'admin'), await keyOf(app, tenant, 'read'), `${canary}-public-key`]
  const [key = ''] = keys
  const session = await logIn(app, tenant)
  const { userId } = await userWithKey(app, tenant, canary)
  const albums = await onSiteOf(app, tenant, (site) =>
    Promise.all(
      (['public', 'private'] as const).map((privacy) =>
        createAlbum(site, { username: 'ada', title: `${canary} ${privacy}`, privacy }),
      ),
    ),
  )
  const images = []
  for (const { id } of albums)
    images.push(await uploaded(app, tenant, { fields: { album_id: id, title: canary, tags: canary } }))
  const page = { title: canary, body: canary }
  const pages = []
  for (const url_key of [canary, `${canary}-2`])
    pages.push(await ask5(app, tenant, 'POST pages', { key, body: { ...page, url_key } }))
  const uploadId = await created([app, tenant], { key, length: 100, metadata: { title: canary } })
  const cursors: string[] = []
  for (const { method, path } of mediaRoutes) {
    if (method !== 'GET' || path.includes('{')) continue
    const { json } = await ask5(app, tenant, `GET ${path.replace('/api/5/', '')}?limit=1`, { key })
    if (typeof json?.next_cursor === 'string') cursors.push(json.next_cursor)
  }
  assert.ok(cursors.length >= 2)
  const tokens = images.map(({ delete_url }) => delete_url.split('/').at(-1))
  return {
    ids: [
      userId,
      session.id,
      key.split('_')[1] ?? '',
      canary,
      uploadId,
      ...albums.map(({ id }) => id),
      ...images.map(({ id_encoded }) => id_encoded),
      ...pages.map(({ json }) => json.id),
      ...tokens,
    ],
    cursors,
    keys,
    cookie: session.headers.cookie ?? '',
  }
}

const idFields = /(^|_)ids?$/

/** The example body of a route with foreign ids wherever it takes an id. Undefined if it takes none. */
function bodyWith(id: string, endpoint: (typeof mediaRoutes)[number]['endpoint']): unknown {
  const fields = Object.keys((endpoint.body as { properties?: object } | undefined)?.properties ?? {})
  const named = fields.filter((field) => idFields.test(field))
  if (named.length === 0) return undefined
  const foreign = Object.fromEntries(named.map((field) => [field, field.endsWith('ids') ? [id] : id]))
  return { ...(endpoint.bodyExample as object), ...foreign }
}

const environment = {
  SERVICE_RATE_READS: '0',
  SERVICE_RATE_WRITES: '0',
  SERVICE_RATE_SEARCH: '0',
  ...keepsConnections,
}

onBothStores('the isolation of two sites', (store) => {
  test('nothing of the one is found or changed at the other', { timeout: 900_000 }, async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    const foreign = await furnish(app, dogs)
    const own = await keyOf(app, cats, 'admin')
    const ownSession = await logIn(app, cats)
    // The requests that have furnished the sites are counted in memory until then.
    await writeViews(app)
    const before = await dumpOf(app, dogs)
    using connections = keptConnections(app)

    /** Foreign credentials with any call, and own credentials with foreign ids and cursors. */
    const callers = [
      ...foreign.keys.map((key) => ({ isOwn: false, headers: { 'x-api-key': key } })),
      ...foreign.keys.map((key) => ({ isOwn: false, headers: { authorization: `Bearer ${key}` } })),
      { isOwn: false, headers: { cookie: foreign.cookie, 'sec-fetch-site': 'same-origin' } },
      { isOwn: true, headers: { 'x-api-key': own } },
      { isOwn: true, headers: ownSession.headers },
    ]
    const probes = fc.record({
      route: fc.constantFrom(...mediaRoutes),
      caller: fc.constantFrom(...callers),
      id: fc.constantFrom(...foreign.ids),
      cursor: fc.option(fc.constantFrom(...foreign.cursors), { nil: undefined }),
      filter: fc.option(fc.constantFrom('album_id', 'user_id', 'ids', 'tag', 'q'), { nil: undefined }),
      isReplay: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(probes, async ({ route, caller, id, cursor, filter, isReplay }) => {
        const { method, path, endpoint } = route
        const isList = method === 'GET' && !path.includes('{')
        const body = method === 'GET' || method === 'DELETE' ? undefined : bodyWith(id, endpoint)
        // An own caller without anything foreign only does what it may.
        if (caller.isOwn && !path.includes('{') && !isList && body === undefined) return
        const query = new URLSearchParams()
        if (isList && cursor !== undefined) query.set('cursor', cursor)
        if (isList && filter !== undefined) query.set(filter, id)
        const address = path.replace('/api/5/', '').replaceAll(/\{\w+\}/g, id)
        const answer = await ask5(
          connections,
          cats,
          `${method} ${address}${query.size > 0 ? `?${query}` : ''}`,
          {
            ...(body !== undefined && { body }),
            headers: {
              ...caller.headers,
              'tus-resumable': '1.0.0',
              ...(isReplay && { 'idempotency-key': 'one' }),
            },
          },
        )
        const shown = `${method} ${address}?${query} ${JSON.stringify(caller)}: ${answer.status} ${answer.text}`
        assert.ok(answer.status < 500, shown)
        // A refusal may repeat the id that it was sent.
        if (answer.status < 400) assert.ok(!answer.text.includes(canary), shown)
        if (caller.isOwn && path.includes('{')) assert.ok(answer.status >= 400, shown)
        if (isList && cursor !== undefined && answer.status < 400) assert.fail(shown)
        if (!caller.isOwn && 'x-api-key' in caller.headers) assert.equal(answer.status, 401, shown)
      }),
      { numRuns: runsOf(10_000, store === 'sqlite' ? 200 : 100) },
    )
    await writeViews(app)
    assert.deepEqual(await dumpOf(app, dogs), before)
  })
})
