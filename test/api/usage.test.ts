import assert from 'node:assert/strict'
import { test } from 'vitest'
import { dayAfter, dayOf } from '../../src/site/index.ts'
import { created, patch } from '../support/clients/resumable.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import {
  multipartOf,
  nowOf,
  picture,
  set,
  type TestTenant,
  upload,
  uploaded,
  userWithKey,
  writeViews,
} from '../support/uploads.ts'

type Row = Record<string, number> & { date: string }

const columns = [
  'uploads',
  'upload_bytes',
  'downloads',
  'traffic_bytes',
  'views',
  'transforms',
  'transform_ms',
  'transform_hits',
  'api_requests',
  'files',
  'storage_bytes',
  'derived_bytes',
  'users',
]

/** Without the requests to the API, of which the test itself makes some. */
const written = ({ api_requests: _, ...row }: Row) => row

async function usageOf(app: TestApp, { id }: TestTenant, query = ''): Promise<Row[]> {
  await writeViews(app)
  const { status, json } = await app.call('GET', `tenants/${id}/usage${query}`)
  assert.equal(status, 200, JSON.stringify(json))
  return json.data
}

const today = (app: TestApp) => dayOf(nowOf(app))

onEachStore('the usage of a site', (store) => {
  test('has what clients did, in every address that shows it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const admin = await keyOf(app, cats, 'admin')
    const eve = await userWithKey(app, cats, 'eve')
    const file = await picture({ seed: 5 })
    const own = await uploaded(app, cats, { file, key: eve.key })
    const other = await uploaded(app, cats, { file: await picture({ seed: 6 }) })

    const whole = await ask(app, own.url)
    const size = Number(whole.headers['content-length'])
    const part = await ask(app, own.url, { range: 'bytes=0-9' })
    const middle = await ask(app, own.url, { range: 'bytes=10-29' })
    const thumb = await ask(app, own.thumb.url)
    assert.deepEqual([whole.status, part.status, middle.status, thumb.status], [200, 206, 206, 200])
    const thumbSize = Number(thumb.headers['content-length'])
    // None of these has bytes of a file.
    await app.send('HEAD', new URL(own.url).pathname, { headers: { host: cats.hostname } })
    assert.equal((await ask(app, own.url, { 'if-none-match': whole.headers.etag ?? '' })).status, 304)
    assert.equal((await ask(app, own.url.replace('.', '-no.'))).status, 404)
    await ask(app, own.url_viewer, { accept: 'text/html' })

    const [row] = await usageOf(app, cats)
    const { stats } = (await app.call('GET', 'tenants/cats')).json
    assert.ok(row)
    assert.deepEqual(Object.keys(row), ['date', ...columns])
    assert.deepEqual(written(row), {
      date: today(app),
      uploads: 2,
      upload_bytes: file.length + (await picture({ seed: 6 })).length,
      downloads: 2,
      traffic_bytes: size + 10 + 20 + thumbSize,
      views: 1,
      transforms: 0,
      transform_ms: 0,
      transform_hits: 0,
      files: 2,
      storage_bytes: stats.storage_used,
      derived_bytes: 0,
      users: 2,
    })

    const site = (await ask5(app, cats, 'GET usage', { key: admin })).json
    assert.deepEqual([site.from, site.to, site.step], [dayAfter(today(app), -29), today(app), 'day'])
    assert.deepEqual(site.data.map(written), [written(row)])
    const mine = (await ask5(app, cats, 'GET me/usage', { key: await keyOf(app, cats, 'read', eve.userId) }))
      .json
    const stored = (await ask5(app, cats, `GET files/${other.id_encoded}`, { key: admin })).json
    assert.deepEqual(Object.keys(mine.data[0]), [
      'date',
      'uploads',
      'upload_bytes',
      'downloads',
      'traffic_bytes',
      'views',
      'files',
      'storage_bytes',
    ])
    assert.deepEqual(
      [mine.data[0].uploads, mine.data[0].upload_bytes, mine.data[0].downloads, mine.data[0].traffic_bytes],
      [1, file.length, 2, size + 30 + thumbSize],
    )
    assert.ok(stored && mine.data[0].storage_bytes > 0 && mine.data[0].storage_bytes < stats.storage_used)

    const [, ...lines] = (await app.call('GET', `usage?format=csv&from=${today(app)}`)).text.split('\n')
    assert.equal(lines[0]?.split(',').slice(0, 4).join(), `cats,${today(app)},2,${row.upload_bytes}`)
    assert.equal(lines.at(-1), '')
  })

  test('counts what was taken in and what was sent, and nothing else', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_RATE_READS: '0' } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const host = { host: cats.hostname }
    const names = ['uploads', 'upload_bytes', 'downloads', 'traffic_bytes', 'views'] as const
    let before = [0, 0, 0, 0, 0]
    const assertCounts = async (what: string, expected: readonly number[]) => {
      const [row] = await usageOf(app, cats, '?step=total')
      const now = names.map((name) => row?.[name] ?? 0)
      assert.deepEqual(
        now.map((count, index) => count - (before[index] ?? 0)),
        expected,
        what,
      )
      before = now
    }
    const file = await picture({ seed: 1 })
    const [size, nothing] = [file.length, [0, 0, 0, 0, 0]]
    const { url, id_encoded: id } = await uploaded(app, cats, { file })
    await assertCounts('an upload', [1, size, 0, 0, 0])
    await set(app, cats, { duplicates: 'existing' })
    await uploaded(app, cats, { file })
    await assertCounts('a duplicate', nothing)
    await set(app, cats, { duplicates: 'allow' })
    await uploaded(app, cats, { form: { source: file.toString('base64') } })
    await assertCounts('Base64', [1, size, 0, 0, 0])
    assert.equal((await upload(app, cats, { file: Buffer.from('no picture') })).status, 400)
    await assertCounts('what is no picture', nothing)
    const second = await picture({ seed: 2 })
    const content = { bytes: second, headers: { ...host, 'x-api-key': key, 'content-type': 'image/png' } }
    const once = { ...content, headers: { ...content.headers, 'idempotency-key': 'once' } }
    for (const _ of [1, 2]) assert.equal((await app.send('POST', '/api/5/files', once)).status, 201)
    await assertCounts('one upload that is sent twice', [1, second.length, 0, 0, 0])
    assert.equal((await app.send('PUT', `/api/5/files/${id}/content`, content)).status, 200)
    await assertCounts('a replacement', [1, second.length, 0, 0, 0])
    const reverting = { key, body: { revision: 1 } }
    assert.equal((await ask5(app, cats, `POST files/${id}/revert`, reverting)).status, 200)
    await assertCounts('an earlier revision', nothing)
    const resumable = await created([app, cats], { key, length: size })
    await patch([app, cats], resumable, { key, offset: 0, bytes: file.subarray(0, 9) })
    await assertCounts('a part of an upload', nothing)
    await patch([app, cats], resumable, { key, offset: 9, bytes: file.subarray(9) })
    await assertCounts('its end', [1, size, 0, 0, 0])

    const { pathname } = new URL(url)
    const get = (range: string, method = 'GET') =>
      app.send(method, pathname, { headers: { ...host, ...(range && { range }) } })
    // The second round comes from memory.
    for (const round of [1, 2])
      for (const [range, status, downloads, bytes] of [
        ['', 200, 1, size],
        ['bytes=0-', 206, 1, size],
        ['bytes=0-0', 206, 1, 1],
        ['bytes=-99999', 206, 1, size],
        ['bytes=-5', 206, 0, 5],
        ['bytes=0-1,3-4', 200, 1, size],
        ['bytes=99999-', 416, 0, 0],
      ] as const) {
        assert.equal((await get(range)).status, status, range)
        await assertCounts(`${round}: ${range}`, [0, 0, downloads, bytes, 0])
      }
    await get('', 'HEAD')
    await assertCounts('HEAD', nothing)
  })

  test('counts requests to the APIs, refused ones too, and no preflight', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await app.call('GET', 'tenants/cats')
    assert.equal((await ask5(app, cats, 'GET nothing')).status, 404)
    assert.equal((await ask5(app, cats, 'GET me')).status, 200)
    const { bytes, type } = multipartOf([])
    const empty = { headers: { host: cats.hostname, 'content-type': type }, bytes }
    assert.notEqual((await app.send('POST', '/api/1/upload', empty)).status, 200)
    assert.notEqual((await app.send('POST', '/1/upload', empty)).status, 200)
    const preflight = { origin: 'https://a.test', 'access-control-request-method': 'POST' }
    await app.send('OPTIONS', '/api/1/upload', { headers: { host: cats.hostname, ...preflight } })
    await app.send('GET', '/explore', { headers: { host: cats.hostname } })
    assert.equal((await usageOf(app, cats))[0]?.api_requests, 4)
    const others = { '//api//5/me': 200, '/api/5/%zz': 400, '/api/1': 404, '/api/5x': 404, '/api/4/a': 400 }
    for (const [path, status] of Object.entries(others))
      assert.equal((await app.send('GET', path, { headers: { host: cats.hostname } })).status, status, path)
    assert.equal((await usageOf(app, cats))[0]?.api_requests, 7)
    // Each change empties the cache of tenants while requests are being answered.
    for (let round = 1; round <= 20; round += 1) {
      const requests = Array.from({ length: 5 }, () => ask5(app, cats, 'GET me'))
      const limits = { SERVICE_MAX_FILES: String(round) }
      await Promise.all([...requests, app.call('PATCH', 'tenants/cats', { limits })])
    }
    await until(async () => (await usageOf(app, cats))[0]?.api_requests === 107, 'every request')
  })

  test('belongs to the day on which it was counted, and follows removals, the trash and a clock that is set back', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const first = await uploaded(app, cats)
    await ask(app, first.url)
    const begin = today(app)
    // What was counted before midnight is written after it.
    app.wait(86_400)
    const second = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    await ask(app, second.url)
    const shown = (rows: Row[]) =>
      rows.map(({ date, uploads, downloads, files }) => [date, uploads, downloads, files])
    assert.deepEqual(shown(await usageOf(app, cats)), [
      [begin, 1, 1, 1],
      [dayAfter(begin), 1, 1, 2],
    ])
    await ask5(app, cats, `DELETE files/${second.id_encoded}`, { key })
    assert.deepEqual(shown(await usageOf(app, cats))[1], [dayAfter(begin), 1, 1, 1])
    await ask5(app, cats, `POST files/${second.id_encoded}/restore`, { key })
    assert.deepEqual(shown(await usageOf(app, cats))[1], [dayAfter(begin), 1, 1, 2])
    await ask5(app, cats, `DELETE files/${first.id_encoded}?permanent=true`, { key })
    assert.deepEqual(shown(await usageOf(app, cats)), [
      [begin, 1, 1, 1],
      [dayAfter(begin), 1, 1, 1],
    ])
    app.wait(2 * 86_400)
    const rows = await usageOf(app, cats)
    assert.deepEqual(shown(rows).slice(1), [
      [dayAfter(begin), 1, 1, 1],
      [dayAfter(begin, 2), 0, 0, 1],
      [dayAfter(begin, 3), 0, 0, 1],
    ])
    assert.equal(rows[1]?.storage_bytes, rows[3]?.storage_bytes)
    // Days to come are not shown; what is there is there today.
    app.wait(-2 * 86_400)
    assert.deepEqual(shown(await usageOf(app, cats)), shown(rows).slice(0, 2))
    const total = await usageOf(app, cats, `?step=total&from=${begin}`)
    assert.deepEqual(shown(total), [[begin, 2, 2, 1]])
    const month = await usageOf(app, cats, '?step=month')
    assert.equal(
      month.reduce((sum, { uploads = 0 }) => sum + uploads, 0),
      2,
    )
    assert.ok(month.every(({ date }) => date.endsWith('-01')))
  })

  test('is kept for as many days as the operator says', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    app.wait(5 * 86_400)
    assert.equal((await usageOf(app, cats)).length, 6)
    await app.call('PATCH', 'tenants/cats', { limits: { SERVICE_USAGE_DAYS: '3' } })
    const rows = await usageOf(app, cats)
    assert.deepEqual(
      rows.map(({ uploads, files }) => [uploads, files]),
      [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
    )
    const refused = await app.call('PATCH', 'tenants/cats', { limits: { SERVICE_USAGE_DAYS: '36501' } })
    assert.equal(refused.status, 400)
  })

  test('of a day that a killed server has not copied is copied by the next jobs, however late', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    const begin = today(app)
    await writeViews(app)
    await app.app.control.store.control.deleteFrom('siteDay').execute()
    const first = async () => (await usageOf(app, cats, `?from=${begin}&to=${begin}`))[0]
    assert.deepEqual([(await first())?.uploads, (await first())?.files], [0, 1])
    app.wait(100 * 86_400)
    await doDueJobs(app)
    assert.deepEqual([(await first())?.uploads, (await first())?.files], [1, 1])
  })

  test('of all tenants is listed page by page, and a cursor belongs to its parameters', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['b', 'a']) await uploaded(app, await app.tenant(id))
    await app.call('POST', 'tenants', { id: 'c', hostname: 'c.test', is_enabled: true })
    app.wait(2 * 86_400)
    const all = (await app.call('GET', 'usage')).json
    assert.equal(all.next_cursor, null)
    assert.deepEqual(
      all.data.map(({ tenant, uploads }: { tenant: string; uploads: number }) => `${tenant}${uploads}`),
      ['a1', 'a0', 'a0', 'b1', 'b0', 'b0', 'c0', 'c0', 'c0'],
    )
    const paged: unknown[] = []
    let cursor = ''
    do {
      const { status, json } = await app.call('GET', `usage?limit=2${cursor}`)
      assert.equal(status, 200)
      assert.ok(json.data.length <= 2)
      paged.push(...json.data)
      cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`
      if (cursor) assert.equal((await app.call('GET', `usage?limit=2&step=month${cursor}`)).status, 400)
    } while (cursor !== '')
    assert.deepEqual(paged, all.data)
    const totals = (await app.call('GET', 'usage?step=total')).json.data
    assert.deepEqual(
      totals.map(({ tenant, files }: Row) => [tenant, files]),
      [
        ['a', 1],
        ['b', 1],
        ['c', 0],
      ],
    )
  })

  test('refuses what is no day, no step and no format, by name', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const faulty = [
      'from=2026-02-30',
      'to=yesterday',
      'from=2026-11-19&to=2026-11-18',
      'from=',
      'step=week',
      'format=xml',
      'from=2026-11-18&from=2026-11-18',
      'days=3',
      'limit=3',
      'cursor=a',
    ]
    for (const query of faulty) {
      const field = query.split('=')[0] ?? ''
      for (const answer of [
        await app.call('GET', `tenants/cats/usage?${query}`),
        await ask5(app, cats, `GET usage?${query}`, { key }),
        await ask5(app, cats, `GET me/usage?${query}`, { key }),
      ]) {
        assert.equal(answer.status, 400, `${query}: ${answer.text}`)
        assert.ok(answer.text.includes(field), answer.text)
      }
    }
    const spaced = await app.call('GET', 'usage?from=2026-11-18%20')
    assert.match(spaced.json.error.message, /^from: must be a day like/)
    // There are no 29 days before it that have four digits for the year.
    const first = await app.call('GET', 'usage?to=0000-01-05')
    assert.deepEqual([first.status, first.json.from], [200, '0000-01-01'])
    for (const query of ['format=csv&limit=3', 'format=csv&cursor=a', 'limit=0', 'limit=1001', 'cursor=a'])
      assert.equal((await app.call('GET', `usage?${query}`)).status, 400, query)
    assert.equal((await app.call('GET', 'tenants/dogs/usage')).status, 404)
    const reader = await keyOf(app, cats, 'read')
    assert.equal((await ask5(app, cats, 'GET usage', { key: reader })).status, 403)
    assert.equal((await ask5(app, cats, 'GET me/usage')).status, 401)
  })
})
