import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createAlbum, createCategory } from '../../src/media/index.ts'
import { type ChangingSite, recountTotals } from '../../src/site/index.ts'
import { type Answer, onEachStore, type TestApp } from '../support/harness.ts'
import { type Servers, startServers, tally, times } from '../support/servers/several-servers.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { until } from '../support/until.ts'
import {
  limit,
  noise,
  onSiteOf,
  picture,
  type Sending,
  set,
  statsOf,
  storedBytes,
  type TestTenant,
  upload,
  uploaded,
} from '../support/uploads.ts'

const publicKey = 'a-public-key-of-the-site'

onEachStore('limits', (store) => {
  let servers: Servers
  let app: TestApp
  beforeAll(async () => {
    servers = await startServers(store)
    app = servers.first
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  const serverAt = (place: number) => servers.all[place % servers.all.length] as TestApp

  /** Sixteen at once, over all servers. */
  const many = (tenant: TestTenant, sending: (place: number) => Sending, count = 16): Promise<Answer[]> =>
    Promise.all(times(count, (place) => upload(serverAt(place), tenant, sending(place))))

  /** A tenant that every server knows. */
  async function newTenant(id: string): Promise<TestTenant> {
    const tenant = await app.tenant(id)
    const visit = { headers: { host: tenant.hostname } }
    for (const server of servers.all)
      await until(async () => (await server.send('GET', '/', visit)).status === 200, 'it knows the site')
    return tenant
  }

  async function allow(tenant: TestTenant, limits: Record<string, string>): Promise<void> {
    await limit(app, tenant, limits)
    for (const server of servers.all) {
      await until(async () => {
        const { json } = await server.call('GET', `tenants/${tenant.id}`)
        return JSON.stringify(json.limits) === JSON.stringify(limits)
      }, 'it knows the limits')
    }
  }

  /** The server that said so tells it at once, the others within a second, and all what a count of the rows tells. */
  async function checkStats(tenant: TestTenant, expected: Record<string, number>, teller?: TestApp) {
    using watch = startStopwatch()
    for (const server of servers.all) {
      const isPatient = servers.all.length > 1 && server !== teller
      for (;;) {
        const stats = await statsOf(server, tenant)
        const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, stats[name]]))
        if (JSON.stringify(shown) === JSON.stringify(expected)) break
        assert.ok(isPatient && watch.ms() < 1_000, `${JSON.stringify([shown, expected])}`)
      }
    }
    const kept = await statsOf(app, tenant)
    const counted = await onSiteOf(app, tenant, recountTotals)
    assert.deepEqual(
      [kept.files, kept.tags, kept.storage_used, kept.file_views, kept.albums, kept.categories],
      [
        counted.files,
        counted.tags,
        counted.storageUsed,
        counted.fileViews,
        counted.albums,
        counted.categories,
      ],
    )
  }

  /** Numbers of the limit that was named, besides those who got through. */
  const limitsNamed = (answers: readonly Answer[]) =>
    new Set(
      answers.flatMap(({ status, json }) => (status === 200 ? [] : [`${status} ${json.error.message}`])),
    )

  test('as many files as allowed, all of these, and not one more', async () => {
    const tenant = await newTenant('files')
    await allow(tenant, { SERVICE_MAX_FILES: '7' })
    const answers = await many(tenant, (seed) => ({ fileName: `${seed}.png` }))
    assert.deepEqual(tally(answers), { 200: 7, 403: 9 })
    assert.deepEqual(limitsNamed(answers), new Set(['403 SERVICE_MAX_FILES is reached (limit 7).']))
    await checkStats(tenant, { files: 7 })
    assert.equal((await keysOf(tenant)).length, 14)

    const kept = answers.find(({ status }) => status === 200)?.json.image
    await remove(tenant, kept.delete_url)
    await checkStats(tenant, { files: 6 })
    assert.deepEqual(tally(await many(tenant, () => ({}))), { 200: 1, 403: 15 })
    await allow(tenant, { SERVICE_MAX_FILES: '0' })
    assert.deepEqual(tally(await many(tenant, () => ({}), 4)), { 200: 4 })
  })

  test('as many bytes as allowed, of files and their versions', async () => {
    const tenant = await newTenant('bytes')
    await uploaded(app, tenant)
    const each = (await statsOf(app, tenant)).storage_used ?? 0
    assert.ok(each > 500)
    await allow(tenant, { SERVICE_MAX_STORAGE: String(6 * each) })
    const answers = await many(tenant, () => ({}))
    assert.deepEqual(tally(answers), { 200: 5, 403: 11 })
    assert.deepEqual(
      limitsNamed(answers),
      new Set([`403 SERVICE_MAX_STORAGE is reached (limit ${6 * each}).`]),
    )
    await checkStats(tenant, { files: 6, storage_used: 6 * each })
    const sizes = (await keysOf(tenant)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    assert.equal(sizes, 6 * each)
    await allow(tenant, { SERVICE_MAX_STORAGE: String(8 * each - 1) })
    assert.deepEqual(tally(await many(tenant, () => ({}), 4)), { 200: 1, 403: 3 })
  })

  test('as many tags as allowed; the files come in all the same', async () => {
    const tenant = await newTenant('tags')
    await allow(tenant, { SERVICE_MAX_TAGS: '5' })
    const answers = await many(tenant, (place) => ({ fields: { tags: `shared,a${place},b${place}` } }))
    assert.deepEqual(tally(answers), { 200: 16 })
    const names = answers.flatMap(({ json }) => json.image.tags.map((tag: { name: string }) => tag.name))
    assert.deepEqual([new Set(names).size, names.filter((name) => name === 'shared').length], [5, 16])
    await checkStats(tenant, { files: 16, tags: 5 })
    const known = await uploaded(app, tenant, { fields: { tags: `new,${names.join()}` } })
    assert.equal(known.tags.length, 5)
  })

  test('as many tags on a file as allowed', async () => {
    const tenant = await newTenant('pertag')
    await allow(tenant, { SERVICE_MAX_TAGS_PER_FILE: '3' })
    const { tags_string: text } = await uploaded(app, tenant, { fields: { tags: 'a,,a,b\u0007b,b,c,d' } })
    assert.equal(text, 'a, b, c')
    await checkStats(tenant, { tags: 3 })
  })

  test('as many albums and categories as allowed', async () => {
    const tenant = await newTenant('albums')
    await allow(tenant, { SERVICE_MAX_ALBUMS: '4', SERVICE_MAX_CATEGORIES: '3' })
    const tried = async (work: (site: ChangingSite, place: number) => Promise<unknown>) => {
      const outcomes = await Promise.allSettled(
        times(16, (place) => onSiteOf(serverAt(place), tenant, (site) => work(site, place))),
      )
      const codes = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.code))
      return [
        codes.filter((code) => code === 'done').length,
        codes.filter((code) => code === 'limit-reached').length,
      ]
    }
    const album = { username: 'ada', title: 'One', privacy: 'public' } as const
    assert.deepEqual(await tried((site) => createAlbum(site, album)), [4, 12])
    assert.deepEqual(await tried((site, place) => createCategory(site, { name: `C${place}` })), [3, 13])
    const totals = await onSiteOf(app, tenant, recountTotals)
    assert.deepEqual([totals.albums, totals.categories], [4, 3])
  })

  test('twenty equal names at once are twenty names, and each leads to its own picture', async () => {
    const tenant = await newTenant('names')
    const files = await Promise.all(times(20, (seed) => picture({ seed: seed + 1 })))
    const answers = await many(tenant, (place) => ({ file: files[place] as Buffer, fileName: 'cat.png' }), 20)
    assert.deepEqual(tally(answers), { 200: 20 })
    const images = answers.map(({ json }) => json.image)
    assert.equal(new Set(images.map((image) => image.name.toLowerCase())).size, 20)
    assert.equal(images.filter((image) => image.name === 'cat').length, 1)
    for (const [place, image] of images.entries())
      assert.ok((await storedBytes(app, tenant, image.url))?.equals(files[place] as Buffer))
    await checkStats(tenant, { files: 20 })
  })

  test('stats are exact after each upload and each deletion, on every server', async () => {
    const tenant = await newTenant('stats')
    let [files, bytes] = [0, 0]
    const links: { url: string; size: number }[] = []
    for (const place of times(6, (at) => at)) {
      const width = 600 + place
      const file = await picture({ width, height: 40, seed: place })
      const image = await uploaded(serverAt(place), tenant, { file, fields: { tags: `t${place % 3}` } })
      const size = image.size + image.thumb_size + image.medium_size
      links.push({ url: image.delete_url, size })
      files += 1
      bytes += size
      await checkStats(tenant, { files, storage_used: bytes, tags: Math.min(3, files) }, serverAt(place))
    }
    for (const [place, { url, size }] of links.entries()) {
      await remove(tenant, url, serverAt(place))
      files -= 1
      bytes -= size
      await checkStats(tenant, { files, storage_used: bytes }, serverAt(place))
    }
  })

  test('stats are exact after uploads and deletions at the same time', async () => {
    const tenant = await newTenant('busy')
    for (let round = 0; round < 4; round += 1) {
      const before = (await statsOf(app, tenant)).files ?? 0
      const answers = await many(tenant, () => ({}))
      assert.deepEqual(tally(answers), { 200: 16 })
      await checkStats(tenant, { files: before + 16 })
      const links = answers.slice(0, 12).map(({ json }) => json.image.delete_url)
      const work = times(4, (place) => upload(serverAt(place), tenant))
      await Promise.all([...work, ...links.map((url, place) => remove(tenant, url, serverAt(place)))])
      await checkStats(tenant, { files: before + 8 })
    }
  })

  describe('floods:', () => {
    const wait = (seconds: number) => {
      for (const server of servers.all) server.wait(seconds)
    }
    const asGuest = () => ({ key: publicKey })

    test('as many as allowed in each window, however many come at once', async () => {
      const tenant = await newTenant('flood')
      await set(app, tenant, { public_key: publicKey, flood_guest_minute: '5', flood_guest_hour: '8' })
      const answers = await many(tenant, asGuest)
      assert.deepEqual(tally(answers), { 200: 5, 429: 11 })
      assert.deepEqual(
        limitsNamed(answers),
        new Set(['429 Flooding detected. You can only upload 5 files per minute']),
      )
      for (const { headers, status } of answers)
        if (status === 429) assert.ok(Number(headers['retry-after']) > 0)
      assert.deepEqual(tally(await many(tenant, () => ({}), 6)), { 200: 6 })
      wait(61)
      const later = await many(tenant, asGuest)
      assert.deepEqual(tally(later), { 200: 3, 429: 13 })
      assert.ok([...limitsNamed(later)].some((text) => text.includes('8 files per hour')))
      wait(3_600 - 60)
      assert.deepEqual(tally(await many(tenant, asGuest)), { 200: 5, 429: 11 })
      await checkStats(tenant, { files: 19 })
    })

    test('windows roll: what came first is free first', async () => {
      const tenant = await newTenant('rolling')
      await set(app, tenant, { public_key: publicKey, flood_guest_minute: '3' })
      const one = async () => (await upload(app, tenant, { key: publicKey })).status
      assert.deepEqual([await one(), await one()], [200, 200])
      wait(40)
      assert.deepEqual([await one(), await one()], [200, 429])
      wait(15)
      assert.equal(await one(), 429)
      wait(10)
      assert.deepEqual([await one(), await one(), await one()], [200, 200, 429])
    })

    test('a clock that jumps ahead and back refuses no upload', async () => {
      const tenant = await newTenant('ahead')
      await set(app, tenant, { public_key: publicKey, flood_guest_minute: '2' })
      const one = async () => (await upload(app, tenant, { key: publicKey })).status
      wait(86_400)
      assert.deepEqual([await one(), await one(), await one()], [200, 200, 429])
      wait(-86_400)
      assert.deepEqual([await one(), await one(), await one()], [200, 200, 429])
    })

    test('what was refused without work takes no place, and what was deleted keeps its own', async () => {
      const tenant = await newTenant('places')
      await set(app, tenant, { flood_user_day: '2', max_file_size_user: '1000000' })
      const large = { file: await noise(800, 600) }
      assert.deepEqual(tally(await many(tenant, () => large, 2)), { 413: 2 })
      const inner = { form: { source: 'http://127.0.0.1:1/cat.png' } }
      assert.deepEqual(tally(await many(tenant, () => inner, 2)), { 400: 2 })
      const image = await uploaded(app, tenant)
      await remove(tenant, image.delete_url)
      assert.deepEqual(tally(await many(tenant, () => ({}), 4)), { 200: 1, 429: 3 })
      await allow(tenant, { SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0' })
      assert.deepEqual(tally(await many(tenant, () => ({}), 4)), { 200: 4 })
    })

    test('what was refused after it was fetched or read by a decoder takes a place', async () => {
      const tenant = await newTenant('work')
      await set(app, tenant, { flood_user_day: '3' })
      const broken = { file: (await noise(64, 48)).subarray(0, 2_000) }
      assert.deepEqual(tally(await many(tenant, () => broken, 2)), { 400: 2 })
      await allow(tenant, { SERVICE_UPLOAD_URL_ALLOW: '127.0.0.1:1' })
      const unreachable = { form: { source: 'http://127.0.0.1:1/cat.png' } }
      assert.deepEqual(tally(await many(tenant, () => unreachable, 3)), { 400: 1, 429: 2 })
      assert.deepEqual(tally(await many(tenant, () => ({}), 2)), { 429: 2 })
    })

    test('are counted for each site by itself', async () => {
      const [one, other] = [await newTenant('one'), await newTenant('other')]
      for (const tenant of [one, other]) await set(app, tenant, { flood_user_week: '1' })
      assert.deepEqual([(await upload(app, one)).status, (await upload(app, one)).status], [200, 429])
      assert.equal((await upload(app, other)).status, 200)
    })
  })

  const keysOf = (tenant: TestTenant) =>
    onSiteOf(app, tenant, (site) => site.storage.list('', undefined, 1_000))

  async function remove(tenant: TestTenant, url: string, server = app) {
    const { status, text } = await server.send('DELETE', new URL(url).pathname, {
      headers: { host: tenant.hostname },
    })
    assert.equal(status, 200, text)
  }
})
