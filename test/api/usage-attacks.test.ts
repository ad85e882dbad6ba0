import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import { limit, nowOf, onSiteOf, uploaded, writeViews } from '../support/uploads.ts'

const hostile = [
  '',
  '0',
  '-1',
  '1e3',
  '١',
  '2026-11-19T00:00:00Z',
  '2026-02-29',
  '9999-12-31',
  '0000-00-00',
  '=1+1',
  "' or 1=1 --",
  '%00',
  '%ff',
  '%',
  '__proto__',
  'null',
  '[]',
  '{}',
  'a'.repeat(5_000),
]
const parameters = ['from', 'to', 'step', 'format', 'limit', 'cursor', '__proto__', 'constructor', 'from[]']

const isServed = ({ status }: Answer, what: string) => assert.ok(status < 500, `${what}: ${status}`)

onEachStore('hostile callers of usage, quotas, previews and exports', (store) => {
  test('are refused by name or answered, and never break the server', { timeout: 240_000 }, async () => {
    await using app = await startTestApp({
      store,
      environment: { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' },
    })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await app.call('POST', 'tenants-plans', { id: 'p' })
    for (const name of parameters)
      for (const value of hostile) {
        const query = `${encodeURIComponent(name)}=${value.startsWith('%') ? value : encodeURIComponent(value)}`
        for (const path of ['usage', 'tenants/cats/usage', 'tenants/cats/quotas'])
          isServed(await app.call('GET', `${path}?${query}`), `${path}?${query}`)
        for (const path of ['usage', 'me/usage', 'quotas'])
          isServed(await ask5(app, cats, `GET ${path}?${query}`, { key }), `${path}?${query}`)
        isServed(await app.call('POST', `tenants-plans/p/preview?${query}`, {}), `preview?${query}`)
      }
    const bodies: unknown[] = [
      null,
      [],
      'text',
      0,
      { limits: { SERVICE_MAX_STORAGE: {} } },
      { limits: { SERVICE_MAX_STORAGE: '1e999' } },
      { limits: { SERVICE_MAX_TRAFFIC: Number.MAX_VALUE } },
      { limits: { SERVICE_QUOTA_ALERT: '100,1' } },
      { limits: JSON.parse('{"__proto__":"1"}') },
      { env: { constructor: '1', toString: '2' } },
      { limits: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`N${index}`, '1'])) },
      { plan_id: '../p' },
      { passphrase: 'x'.repeat(100_000) },
      { passphrase: '\0'.repeat(10) },
      { passphrase: ['a long passphrase'] },
    ]
    for (const body of bodies)
      for (const path of ['tenants/cats/preview', 'tenants-plans/p/preview', 'tenants/cats/export']) {
        const answer = await app.call('POST', path, body)
        isServed(answer, `${path} ${JSON.stringify(body).slice(0, 80)}`)
        if (path.endsWith('export') && answer.status === 202)
          await app.call('DELETE', `tenants/cats/exports/${answer.json.id}`)
      }
    assert.equal((await app.call('GET', 'tenants/cats/usage')).status, 200)
  })

  test('get no page with the cursor of another installation, another list or another caller', async () => {
    await using app = await startTestApp({ store })
    await using other = await startTestApp({ store })
    for (const each of [app, other]) {
      await each.call('POST', 'tenants-plans', { id: 'p' })
      for (const id of ['a', 'b', 'c'])
        await each.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true, plan_id: 'p' })
    }
    const usageCursor = async (at: TestApp) => (await at.call('GET', 'usage?limit=1')).json.next_cursor
    const previewCursor = async (at: TestApp) =>
      (await at.call('POST', 'tenants-plans/p/preview?limit=1', {})).json.next_cursor
    const [mine, theirs, ofPreview] = [
      await usageCursor(app),
      await usageCursor(other),
      await previewCursor(app),
    ]
    for (const cursor of [theirs, ofPreview, `${mine}x`, mine.slice(1)]) {
      const { status, json } = await app.call('GET', `usage?limit=1&cursor=${cursor}`)
      assert.equal(status, 400)
      assert.match(json.error.message, /^cursor: /)
    }
    for (const cursor of [await previewCursor(other), mine])
      assert.equal((await app.call('POST', `tenants-plans/p/preview?cursor=${cursor}`, {})).status, 400)

    // Every server of the installation takes it, also one that is started later.
    await using later = await startTestApp({ store, beside: app })
    const next = await later.call('GET', `usage?limit=1&cursor=${mine}`)
    assert.deepEqual([next.status, next.json.data[0].tenant], [200, 'b'])
    // A tenant that is deleted between two pages does not come.
    assert.equal((await app.call('DELETE', 'tenants/b')).status, 204)
    assert.equal((await later.call('GET', `usage?limit=1&cursor=${mine}`)).json.data[0].tenant, 'c')
  })

  test('reach no export of another tenant, of one that was made anew, or without a signature', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.tenant('dogs')
    const { json } = await app.call('POST', 'tenants/cats/export', {})
    await until(
      async () => (await app.call('GET', `tenants/cats/exports/${json.id}`)).json.state === 'done',
      'the export',
    )
    for (const id of [
      `dogs/exports/${json.id}`,
      'cats/exports/AAAAAAAA',
      'cats/exports/..',
      'cats/exports/%2e%2e%2f',
    ]) {
      for (const call of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/archive'],
      ] as const) {
        const { status } = await app.call(call[0], `tenants/${id}${call[1]}`)
        assert.ok(status === 404 || status === 400, `${id}: ${status}`)
      }
    }
    const path = `/_/api/4/tenants/cats/exports/${json.id}/archive`
    for (const headers of [
      {},
      { 'x-api-key': app.key },
      { 'x-api-key': app.key, 'x-signature': app.sign('x') },
    ])
      assert.equal((await ask(app, `http://localhost${path}`, headers)).status, 401)
    assert.equal((await app.call('DELETE', 'tenants/cats', { drop_tables: true })).status, 204)
    await app.tenant('cats')
    assert.equal((await app.call('GET', `tenants/cats/exports/${json.id}/archive`)).status, 404)
  })
})

onEachStore('the usage of a site', (store) => {
  test('is the same as JSON and as CSV at every address', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await uploaded(app, cats)
    app.wait(86_400)
    const admin = await keyOf(app, cats, 'admin')
    await writeViews(app)
    const asked = {
      'tenants/cats/usage': (query: string) => app.call('GET', `tenants/cats/usage${query}`),
      usage: (query: string) => ask5(app, cats, `GET usage${query}`, { key: admin }),
      'me/usage': (query: string) => ask5(app, cats, `GET me/usage${query}`, { key: admin }),
    }
    for (const [what, read] of Object.entries(asked)) {
      const { json } = await read('?format=json')
      const { headers, text } = await read('?format=csv')
      assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
      const rows: Record<string, unknown>[] = json.data
      const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
      // The requests of this test are counted too.
      const without = (line: string) => line.split(',').filter((_, at) => lines[0]?.[at] !== 'api_requests')
      assert.deepEqual(text.split('\n').map(without), [...lines.map(String), ''].map(without), what)
    }
    assert.ok(key)
  })

  test('is removed by a job when it is older than it is kept', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_USAGE_DAYS: '3' })
    await uploaded(app, cats)
    const days = () =>
      onSiteOf(app, cats, async ({ db }) => {
        const rows = await db.selectFrom('dayTotal').select('day').distinct().orderBy('day').execute()
        return rows.map(({ day }) => day)
      })
    const first = nowOf(app).toISOString().slice(0, 10)
    // Quotas and the totals of two months need them, whatever is shown.
    app.wait(60 * 86_400)
    await doDueJobs(app)
    assert.ok((await days()).includes(first))
    app.wait(5 * 86_400)
    await until(async () => {
      app.wait(3_600)
      await doDueJobs(app)
      return !(await days()).includes(first)
    }, 'the removal of old days')
  })
})
