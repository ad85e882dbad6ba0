import assert from 'node:assert/strict'
import { test } from 'vitest'
import { changeFiles } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { type PurgeEndpoint, startPurgeEndpoint } from '../support/servers/purge-endpoint.ts'
import { onSiteOf, picture, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

interface Purged {
  app: TestApp
  cats: TestTenant
  key: string
  endpoint: PurgeEndpoint
  call: (target: string, body?: object, as?: string) => Promise<any>
  /** A picture with thumb, medium and a derived picture. */
  image: (fields?: Record<string, string>, as?: string) => Promise<any>
}

async function withSite(
  store: 'sqlite' | 'postgres',
  work: (site: Purged) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  await using endpoint = await startPurgeEndpoint()
  await using app = await startTestApp({ store, environment: { ...endpoint.environment, ...environment } })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  let seed = 0
  const call = async (target: string, body?: object, as = key) => {
    const answer = await ask5(app, cats, target, { key: as, ...(body && { body }) })
    assert.ok(answer.status < 300, `${target}: ${answer.text}`)
    return answer.json
  }
  const image = async (fields = {}, as?: string) => {
    seed += 1
    const file = await picture({ width: 900, height: 700, seed })
    const made = await uploaded(app, cats, { file, fields, ...(as && { key: as }) })
    const derived = await ask(app, `${made.url}${made.url.includes('?') ? '&' : '?'}width=320&format=webp`)
    if (!made.url.includes('?')) assert.equal(derived.status, 200)
    return made
  }
  await work({ app, cats, key, endpoint, call, image })
}

/** As the page of the queue does when a decision is taken back. */
const hold = (app: TestApp, tenant: TestTenant, id: string) =>
  onSiteOf(app, tenant, async (site) => {
    const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
    const caller: any = { kind: 'user', userId, scope: 'admin' }
    return changeFiles(site, caller, { action: 'hold', targets: [{ id }], edit: {}, isAtomic: true } as any)
  })

/** The addresses of a file, its versions and the derived picture. */
const addressesOf = (image: any) =>
  [image.url, image.thumb.url, image.medium.url, `${image.url}?format=webp&width=320`].sort()

async function assertPurged({ app, endpoint }: Purged, images: readonly any[], why: string): Promise<void> {
  const [purge, ...others] = await endpoint.next()
  assert.ok(purge, why)
  assert.deepEqual(others, [], why)
  const { type, tenant, hostname, urls, tags, timestamp, at, id } = purge
  assert.deepEqual(urls.toSorted(), images.flatMap(addressesOf).toSorted(), why)
  assert.deepEqual(tags.toSorted(), images.map((image) => `f-${image.id_encoded}`).toSorted(), why)
  assert.deepEqual([type, tenant, hostname], ['purge', 'cats', 'cats.test'])
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.match(id, /^[A-Za-z0-9]{1,64}$/)
  assert.ok(Math.abs(at - app.app.control.clock.now().getTime() / 1_000) < 30)
}

onEachStore('purges', (store) => {
  test(
    'every way on which bytes leave their addresses sends these, with derived pictures',
    {
      timeout: 180_000,
    },
    () =>
      withSite(store, async (site) => {
        const { app, cats, call, image } = site
        const cases: Record<string, (image: any) => Promise<unknown>> = {
          trash: ({ id_encoded: id }) => call(`DELETE files/${id}`),
          removal: ({ id_encoded: id }) => call(`DELETE files/${id}?permanent=true`),
          'delete link': async ({ delete_url: url }) =>
            assert.equal((await ask(app, url, { accept: 'text/plain' }, 'POST')).status, 200),
          private: ({ id_encoded: id }) => call(`PATCH files/${id}`, { is_private: true }),
          rejected: ({ id_encoded: id }) => call('POST files/bulk', { action: 'reject', ids: [id] }),
          'approval taken away': ({ id_encoded: id }) => hold(app, cats, id),
        }
        for (const [why, hide] of Object.entries(cases)) {
          const made = await image()
          await hide(made)
          await assertPurged(site, [made], why)
        }

        const album = await call('POST albums', { title: 'x' })
        const [one, two] = [await image({ album_id: album.id }), await image({ album_id: album.id })]
        await call(`PATCH albums/${album.id}`, { privacy: 'private' })
        await assertPurged(site, [one, two], 'privacy of an album')
        const moved = await image()
        await call(`PATCH files/${moved.id_encoded}`, { album_id: album.id })
        await assertPurged(site, [moved], 'moved into a private album')

        const expiring = await image({ expiration: 'PT5M' })
        app.wait(6 * 60)
        await doDueJobs(app, cats)
        await assertPurged(site, [expiring], 'expiration')

        const [first, second] = [await image(), await image()]
        const ids = [first.id_encoded, second.id_encoded]
        await call('POST files/bulk', { action: 'trash', ids })
        await assertPurged(site, [first, second], 'bulk')
      }),
  )

  test('replaced and reverted bytes, reports, and users send them too', { timeout: 180_000 }, () =>
    withSite(store, async (site) => {
      const { app, cats, key, call, image } = site
      const replaced = await image()
      const id = replaced.id_encoded
      const other = await picture({ width: 800, height: 600, seed: 99 })
      const put = await app.send('PUT', `/api/5/files/${id}/content`, {
        bytes: other,
        headers: { host: cats.hostname, 'x-api-key': key, 'content-type': 'application/octet-stream' },
      })
      assert.ok(put.status < 300, put.text)
      await assertPurged(site, [replaced], 'replace')
      await ask(app, `${replaced.url}?v=2&width=320&format=webp`)
      await call(`POST files/${id}/revert`, { revision: 1 })
      await assertPurged(site, [replaced], 'revert')

      await call('PATCH settings', { report_hide: 1 })
      const reported = await image()
      const told = await ask5(app, cats, `POST files/${reported.id_encoded}/reports`, {
        body: { reason: 'copyright' },
      })
      assert.ok(told.status < 300, told.text)
      await assertPurged(site, [reported], 'report')

      const bob = await userWithKey(app, cats, 'bob')
      const bobs = [await image({}, bob.key), await image({}, bob.key)]
      await call(`DELETE users/${bob.userId}?files=trash`)
      await assertPurged(site, bobs, 'user')
      const left = await onSiteOf(app, cats, ({ db }) =>
        db
          .selectFrom('derived')
          .innerJoin('file', 'file.id', 'derived.fileId')
          .select('file.id')
          .where('file.deletedAt', 'is not', null)
          .execute(),
      )
      assert.deepEqual(left, [])
    }),
  )

  test(
    'nothing is sent for uploads, edits, likes, views and what is gone already',
    { timeout: 120_000 },
    () =>
      withSite(store, async (site) => {
        const { app, cats, call, image, endpoint } = site
        const made = await image()
        const id = made.id_encoded
        await call(`PATCH files/${id}`, { title: 'x', tags: ['a'], is_nsfw: true })
        await call(`PUT files/${id}/like`)
        const album = await call('POST albums', { title: 'x' })
        await call(`PATCH files/${id}`, { album_id: album.id })
        await call(`PATCH albums/${album.id}`, { title: 'y', privacy: 'link' })
        await call(`DELETE albums/${album.id}`)
        await call(`PATCH files/${id}`, { is_private: false })
        const refused = await ask5(app, cats, 'POST files/bulk', {
          key: site.key,
          body: { action: 'trash', ids: [id, 'none'], atomic: true },
        })
        assert.ok(refused.status >= 400, refused.text)
        assert.deepEqual(endpoint.attempts, [])
        await call(`DELETE files/${id}`)
        await assertPurged(site, [made], 'trash')
        await call(`DELETE files/${id}?permanent=true`)
        // What is sent for another file later would come after it.
        const last = await image()
        await call(`DELETE files/${last.id_encoded}`)
        await assertPurged(site, [last], 'only the last')
        const rows = await onSiteOf(app, cats, ({ db }) => db.selectFrom('purge').selectAll().execute())
        assert.deepEqual(rows, [])
      }),
  )

  test('protecting the bytes of private files sends them', { timeout: 120_000 }, () =>
    withSite(store, async (site) => {
      const { call, image } = site
      await call('PATCH settings', { protect_bytes: false })
      const made = await image()
      await call(`PATCH files/${made.id_encoded}`, { is_private: true })
      await assertPurged(site, [made], 'private')
      await image()
      await call('PATCH settings', { protect_bytes: true })
      await assertPurged(site, [made], 'protected')
    }),
  )
})
