import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { createAlbum, createCategory } from '../../src/media/index.ts'
import { drawQuarters, EXIF } from '../support/fixtures/imaging-pictures.ts'
import { animation } from '../support/fixtures/upload-kinds.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { tally } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import {
  limit,
  noise,
  onSiteOf,
  picture,
  refusalOf,
  type Sending,
  set,
  statsOf,
  storedBytes,
  type TestTenant,
  upload,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

const publicKey = 'a-public-key-of-the-site'

onEachStore('the parameters of an upload', (store) => {
  let app: TestApp
  let cats: TestTenant
  let bob: { userId: string; key: string }
  let album: string
  let bobsAlbum: string
  let category: number
  beforeAll(async () => {
    app = await startTestApp({ store })
    cats = await app.tenant('cats')
    bob = await userWithKey(app, cats, 'bob')
    await set(app, cats, { public_key: publicKey })
    await onSiteOf(app, cats, async (site) => {
      album = (await createAlbum(site, { username: 'ada', title: 'Mine', privacy: 'private' })).id
      bobsAlbum = (await createAlbum(site, { username: 'bob', title: 'His', privacy: 'public' })).id
      category = (await createCategory(site, { name: 'Nature' })).id
    })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const send = (sending: Sending = {}) => upload(app, cats, sending)
  const refused = async (sending: Sending) => refusalOf(await send(sending))

  test('are taken each for itself, and empty ones count as absent', async () => {
    const good = {
      album_id: album,
      category_id: String(category),
      nsfw: '1',
      use_file_date: '0',
      width: '20',
    }
    const image = await uploaded(app, cats, { fields: good })
    assert.deepEqual([image.category_id, image.nsfw, image.width, image.height], [category, 1, 20, 15])
    const names = 'title description tags album_id category_id width expiration nsfw format use_file_date key'
    const empty = Object.fromEntries(names.split(' ').map((name) => [name, '']))
    const plain = await uploaded(app, cats, { fields: empty, fileName: 'empty.png' })
    assert.deepEqual(
      [plain.title, plain.description, plain.tags, plain.category_id, plain.width, plain.nsfw],
      ['empty', null, [], null, 40, 0],
    )
    assert.deepEqual([plain.expiration_date_gmt, plain.source_md5], [null, null])
    const unknown = await uploaded(app, cats, { fields: { action: 'upload', unknown: 'x', timestamp: '1' } })
    assert.equal(unknown.width, 40)
  })

  test('that are bad are refused by their names, and nothing is stored', async () => {
    const before = await statsOf(app, cats)
    const bad: [name: string, ...values: string[]][] = [
      ['expiration', 'PT1M', 'P7D', 'p1d', 'PT5m', ' PT5M', '300', '0', 'P10Y', 'never', 'PT5M\0', '-P1D'],
      ['nsfw', '2', 'yes', 'true', '-1', '01', ' 1', '\0'],
      ['use_file_date', '2', 'no', '1 '],
      ['format', 'xml', 'TXT', 'JSON', 'txt ', 'constructor'],
      ['width', '0', '-5', '200.7', 'abc', '65536', '1e2', '+5', '0x10', ' 20', '99999999999999999999', '\0'],
      ['category_id', '999', '0', '-1', 'x', '1.0', '2147483648', '9007199254740993', '1\0', '01'],
    ]
    for (const [name, ...values] of bad) {
      for (const value of values) {
        const [status, code, message] = await refused({ fields: { [name]: value } })
        assert.deepEqual([status, code], [400, 140], `${name}=${value}`)
        assert.match(String(message), new RegExp(`^${name}: `))
      }
    }
    // An id may happen to have no capitals.
    const otherCase = [album.toLowerCase(), album.toUpperCase()].filter((id) => id !== album)
    for (const id of ['unknown', bobsAlbum, '\0', ...otherCase, `${album} `, 'x'.repeat(5_000)]) {
      const [status, code, message] = await refused({ fields: { album_id: id } })
      assert.deepEqual([status, code, message], [403, 403, 'album_id: is not an album of yours'])
    }
    assert.equal((await refused({ key: publicKey, fields: { album_id: album } }))[0], 403)
    for (const key of [bob.key, publicKey]) {
      const [status, code, message] = await refused({ key, fields: { use_file_date: '1' } })
      assert.deepEqual([status, code], [403, 403], String(message))
    }
    assert.deepEqual(await statsOf(app, cats), before)
  })

  test('that are given twice in one place are refused, wherever that is', async () => {
    const file = await picture()
    const source = encodeURIComponent(file.toString('base64'))
    const twice: Sending[] = [
      { query: 'nsfw=1&nsfw=1' },
      { query: 'nsfw=&nsfw=1' },
      { form: `source=${source}&title=a&title=b` },
      { form: `source=${source}&source=${source}` },
      { parts: [...[1, 2].map((value) => ({ name: 'title', value: `${value}` })), part('source', file)] },
      { parts: [part('source', file), part('source', file)] },
    ]
    for (const sending of twice) assert.deepEqual((await refused(sending)).slice(0, 2), [400, 140])
    const image = await uploaded(app, cats, {
      query: { title: 'query', nsfw: '1' },
      fields: { title: 'form' },
    })
    assert.deepEqual([image.title, image.nsfw], ['form', 1])
  })

  test('width never enlarges, and leaves what moves alone', async () => {
    const file = await picture({ width: 800, height: 600, format: 'jpeg' })
    const sides = async (width: string, bytes = file) => {
      const image = await uploaded(app, cats, { file: bytes, fields: { width }, fileName: 'cat.jpg' })
      return [image.width, image.height, image.chain, image.source_md5 === null]
    }
    assert.deepEqual(await sides('200'), [200, 150, 5, false])
    assert.deepEqual(await sides('501'), [501, 376, 7, false])
    assert.deepEqual(await sides('800'), [800, 600, 7, true])
    assert.deepEqual(await sides('65535'), [800, 600, 7, true])
    assert.deepEqual(await sides('1'), [1, 1, 5, false])
    assert.deepEqual(await sides('20', await animation('gif')), [60, 40, 7, true])
  })

  test('use_file_date takes the date from the picture, for administrators', async () => {
    const file = await drawQuarters(40, 30).jpeg().withExif(EXIF).toBuffer()
    const image = await uploaded(app, cats, { file, fields: { use_file_date: '1' } })
    assert.deepEqual([image.date, image.date_gmt], ['2024-05-06 07:08:09', '2024-05-06 07:08:09'])
    assert.match(image.url, /\/images\/2024\/05\/06\//)
    assert.match(image.how_long_ago, /^\d+ years? ago$/)
    await set(app, cats, { timezone: 'Asia/Tokyo' })
    const local = await uploaded(app, cats, { file, fields: { use_file_date: '1', expiration: 'P1D' } })
    await set(app, cats, { timezone: 'UTC' })
    assert.deepEqual([local.date, local.date_gmt], ['2024-05-06 07:08:09', '2024-05-05 22:08:09'])
    assert.ok(Date.parse(`${local.expiration_date_gmt}Z`) > Date.now())
    assert.ok(await storedBytes(app, cats, local.url))
    const undated = await uploaded(app, cats, { fields: { use_file_date: '1' } })
    assert.equal(undated.date.slice(0, 4), String(new Date().getUTCFullYear()))
    assert.match((await uploaded(app, cats, { file })).date, new RegExp(`^${undated.date.slice(0, 10)}`))
  })

  test('the key is read from the header, the form and the query, and never from a cookie', async () => {
    const keys = async (sending: Sending) => (await refused({ key: null, ...sending }))[0]
    const [good, bad] = [cats.apiKey, `${cats.apiKey}x`]
    assert.equal(await keys({ headers: { 'x-api-key': good } }), 200)
    assert.equal(await keys({ query: { key: good } }), 200)
    assert.equal(await keys({ fields: { key: good } }), 200)
    assert.equal(await keys({ later: { key: good } }), 200)
    assert.equal(await keys({ json: { source: (await picture()).toString('base64'), key: good } }), 200)
    assert.equal(await keys({ query: { key: bad }, later: { key: good } }), 200)
    assert.equal(await keys({ headers: { 'x-api-key': '' }, fields: { key: good } }), 200)
    assert.equal(await keys({ headers: { 'x-api-key': bad }, fields: { key: good } }), 400)
    assert.equal(await keys({ query: { key: good }, fields: { key: bad } }), 400)
    assert.equal(await keys({ headers: { 'x-api-key': good }, query: { key: bad } }), 200)
    for (const none of [
      {},
      { query: { key: '' } },
      { headers: { cookie: `key=${good}`, authorization: `Bearer ${good}` } },
    ])
      assert.deepEqual(await refused({ key: null, ...none }), [400, 100, 'No key provided'])
    const wrongs = [
      bad,
      good.slice(0, -1),
      'x',
      'trc_',
      `trc_x_${'y'.repeat(43)}`,
      good.toUpperCase(),
      '\u00e9'.repeat(20),
    ]
    for (const wrong of wrongs)
      assert.deepEqual(await refused({ key: null, query: { key: wrong } }), [400, 100, 'Invalid API key.'])
  })

  test('a key that ran out and a key of a banned user are wrong keys', async () => {
    const eve = await userWithKey(app, cats, 'eve')
    assert.equal((await refused({ key: eve.key }))[0], 200)
    const change = (values: { isBanned: number } | { expiresAt: string }) =>
      onSiteOf(app, cats, async ({ db }) => {
        if ('isBanned' in values)
          await db.updateTable('user').set(values).where('id', '=', eve.userId).execute()
        else await db.updateTable('userKey').set(values).where('userId', '=', eve.userId).execute()
      })
    await change({ isBanned: 1 })
    assert.deepEqual(await refused({ key: eve.key }), [400, 100, 'Invalid API key.'])
    await change({ isBanned: 0 })
    await change({ expiresAt: '2020-01-01T00:00:00.000Z' })
    assert.deepEqual(await refused({ key: eve.key }), [400, 100, 'Invalid API key.'])
  })

  test('guests have a key where the site gives one, and only where it lets them upload', async () => {
    const guests = await app.tenant('guests')
    const ask = async (key: string) => refusalOf(await upload(app, guests, { key }))
    assert.deepEqual(await ask(publicKey), [400, 100, 'Invalid API key.'])
    await set(app, guests, { public_key: publicKey })
    assert.equal((await ask(publicKey))[0], 200)
    await set(app, guests, { enable_guest_uploads: '0' })
    assert.deepEqual((await ask(publicKey)).slice(0, 2), [403, 403])
    assert.equal((await ask(guests.apiKey))[0], 200)
    await set(app, guests, { enable_guest_uploads: '1' })
    await limit(app, guests, { SERVICE_ENABLE_API_GUEST: '0' })
    assert.deepEqual((await ask(publicKey)).slice(0, 2), [403, 403])
    assert.equal((await ask(guests.apiKey))[0], 200)
    await limit(app, guests, { SERVICE_ENABLE_API_USER: '0' })
    assert.deepEqual((await ask(guests.apiKey)).slice(0, 2), [403, 403])
    assert.equal((await ask(publicKey))[0], 200)
  })

  test('sizes end where the site says, and the operator above it', async () => {
    const large = await noise(640, 640)
    assert.ok(large.length > 1_200_000 && large.length < 2_000_000)
    const exact = String(large.length)
    const sized = await app.tenant('sized')
    await set(app, sized, { public_key: publicKey, max_file_size_guest: '1M', max_file_size_user: '2M' })
    const ask = async (key: string, sending: Sending = {}) =>
      refusalOf(await upload(app, sized, { key, file: large, ...sending }))
    const tooBig = [413, 400, 'File too big - max 1 MB']
    assert.deepEqual(await ask(publicKey), tooBig)
    for (const place of [
      { fields: { key: publicKey } },
      { later: { key: publicKey } },
      { query: { key: publicKey } },
    ])
      assert.deepEqual(refusalOf(await upload(app, sized, { key: null, file: large, ...place })), tooBig)
    assert.deepEqual(await ask(publicKey, { form: { source: large.toString('base64') } }), tooBig)
    assert.equal((await ask(sized.apiKey))[0], 200)
    await limit(app, sized, { SERVICE_MAX_UPLOAD_SIZE: '1M' })
    assert.deepEqual(await ask(sized.apiKey), tooBig)
    await limit(app, sized, { SERVICE_MAX_UPLOAD_SIZE: exact })
    assert.equal((await ask(sized.apiKey))[0], 200)
    await limit(app, sized, { SERVICE_MAX_UPLOAD_SIZE: String(large.length - 1) })
    assert.equal((await ask(sized.apiKey))[0], 413)
  })

  test('the same bytes again are stored, answered with the first, or refused, as the site says', async () => {
    const twins = await app.tenant('twins')
    await set(app, twins, { public_key: publicKey })
    const eve = await userWithKey(app, twins, 'eve')
    const again = (sending: Sending = {}) => upload(app, twins, sending)
    const first = (await again({ fields: { tags: 'b,a', title: 'One' } })).json.image
    assert.notEqual((await again()).json.image.id_encoded, first.id_encoded)
    await set(app, twins, { duplicates: 'existing' })
    const { files } = await statsOf(app, twins)
    const existing = (await again({ fileName: 'other.png' })).json.image
    assert.equal((await statsOf(app, twins)).files, files)
    const more = (await again()).json.image
    assert.equal(more.id_encoded, existing.id_encoded)
    const remove = async (url: string) =>
      (await app.send('DELETE', new URL(url).pathname, { headers: { host: twins.hostname } })).status
    // Every link that was shown is good, until one of them is used.
    assert.notEqual(more.delete_url, existing.delete_url)
    assert.deepEqual([await remove(existing.delete_url), await remove(more.delete_url)], [200, 404])
    assert.equal((await again({ key: eve.key })).json.image.title, 'picture')
    await set(app, twins, { duplicates: 'reject' })
    const rejected = [400, 101, 'Duplicated upload']
    assert.deepEqual(refusalOf(await again({ fields: { width: '10' } })), rejected)
    assert.deepEqual(refusalOf(await again({ key: eve.key })), rejected)
    assert.equal((await again({ key: publicKey })).status, 200)
    assert.deepEqual(refusalOf(await again({ key: publicKey })), rejected)
    app.wait(24 * 3_600)
    assert.equal((await again()).status, 200)
    const file = await picture({ seed: 7 })
    const race = await Promise.all([1, 2, 3, 4, 5, 6].map(() => again({ file })))
    assert.deepEqual(tally(race), { 200: 1, 400: 5 })
    await set(app, twins, { duplicates: 'existing' })
    const seed = await picture({ seed: 8 })
    const same = await Promise.all([1, 2, 3, 4, 5, 6].map(() => again({ file: seed })))
    assert.equal(new Set(same.map((answer) => answer.json.image.id_encoded)).size, 1)
  })

  test('nothing is left of what was refused', async () => {
    // An answer may be out before its upload's folder is gone.
    await until(async () => (await readdir(join(app.dataDir, 'spool'))).length === 0, 'the spool is empty')
  })
})

const part = (name: string, value: Buffer, fileName = 'cat.png') => ({ name, value, fileName })
