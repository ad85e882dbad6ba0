import assert from 'node:assert/strict'
import { test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import { recordChanges } from '../../src/site/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem, walk } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { runHere } from '../support/tool.ts'
import { onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const brief = ({ verb, actor, target, before, after }: any) => [verb, actor.kind, target, before, after]

/** The rows about labels, oldest first. */
async function labelsIn(app: TestApp, cats: TestTenant, key: string) {
  const rows = await walk(app, cats, 'GET audit?limit=200', { key })
  return rows.toReversed().filter(({ verb }) => /^(tag|category)\./.test(verb))
}

onEachStore('the audit log', (store) => {
  test('records changes of categories by the API, the dashboard and the tool', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const call = (name: string, body?: unknown) => ask5(app, cats, name, { key, body })
    const { id } = (await call('POST categories', { name: 'Street art', description: 'Walls' })).json
    assert.equal((await call(`PATCH categories/${id}`, { name: 'Walls', description: null })).status, 200)
    assert.equal((await call(`PATCH categories/${id}`, { name: 'Walls' })).status, 200)
    assert.equal((await call(`PATCH categories/${id}`, { name: 'x'.repeat(33) })).status, 400)
    assert.equal((await call('POST categories', { name: 'street-art' })).status, 409)
    assert.equal((await call(`DELETE categories/${id}`)).status, 204)
    assert.equal((await call(`DELETE categories/${id}`)).status, 404)
    const here = await visitAs(app, cats)
    assert.equal((await here.send('/dashboard/categories', { name: 'Pets' })).status, 303)
    await runHere(['site', '--tenant', 'cats', 'category:create', '--name', 'Art'], app.environment)
    const made = { name: 'Street art', url_key: 'street-art' }
    assert.deepEqual((await labelsIn(app, cats, key)).map(brief), [
      ['category.created', 'key', '1', {}, { ...made, description: 'Walls' }],
      [
        'category.updated',
        'key',
        '1',
        { name: 'Street art', description: 'Walls' },
        { name: 'Walls', description: null },
      ],
      ['category.deleted', 'key', '1', { name: 'Walls', url_key: 'street-art', description: null }, {}],
      ['category.created', 'user', '1', {}, { name: 'Pets', url_key: 'pets', description: null }],
      ['category.created', 'tool', '2', {}, { name: 'Art', url_key: 'art', description: null }],
    ])
  })

  test('records changes of tags, but no likes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { public_key: 'a-key-for-every-guest' })
    const key = await keyOf(app, cats, 'admin')
    const ada = await visitAs(app, cats)
    const file = await picture({ seed: 1 })
    const { id_encoded: id } = await uploaded(app, cats, { fields: { tags: 'cat,Pet' } })
    await uploaded(app, cats, { file, key: 'a-key-for-every-guest', fields: { tags: 'cat,guest' } })
    const call = (name: string, body?: unknown) => ask5(app, cats, name, { key, body })
    assert.equal((await call(`PATCH files/${id}`, { add_tags: ['cat', 'new'] })).status, 200)
    assert.equal((await call('PATCH tags/new', { name: 'newer' })).status, 200)
    assert.equal((await call('PATCH tags/newer', { name: 'newer' })).status, 200)
    assert.equal((await call('PATCH tags/newer', { name: 'cat' })).status, 200)
    assert.equal((await call('DELETE tags/guest')).status, 204)
    assert.equal((await call('DELETE tags/guest')).status, 404)
    assert.equal((await call(`PUT files/${id}/like`)).status, 204)
    assert.equal((await call(`DELETE files/${id}/like`)).status, 204)
    const log = await labelsIn(app, cats, key)
    assert.deepEqual(log.map(brief), [
      ['tag.created', 'key', 'cat', {}, { name: 'cat' }],
      ['tag.created', 'key', 'Pet', {}, { name: 'Pet' }],
      ['tag.created', 'guest', 'guest', {}, { name: 'guest' }],
      ['tag.created', 'key', 'new', {}, { name: 'new' }],
      ['tag.updated', 'key', 'new', { name: 'new' }, { name: 'newer' }],
      ['tag.updated', 'key', 'newer', { name: 'newer', is_merged: false }, { name: 'cat', is_merged: true }],
      ['tag.deleted', 'key', 'guest', { name: 'guest' }, {}],
    ])
    assert.equal(log[0].actor.user.username, 'ada')
    const whole = await walk(app, cats, 'GET audit?limit=200', { key })
    assert.ok(!whole.some(({ verb, target }) => verb === 'file.updated' && target !== id))
    assert.ok(!JSON.stringify(whole).includes('like'))

    // A tag is named by a person, who may choose the id of a user.
    const bob = await userWithKey(app, cats, 'bobby')
    await call(`PATCH files/${id}`, { add_tags: [bob.userId] })
    const { text } = await ada.show('/dashboard/audit?verb=tag.created')
    assert.ok(text.includes(`>${bob.userId}<`) && !text.includes('>bobby<'))
    assert.match(text, /Tag created/)
  })
})

const linesOf = (text: string) => {
  assert.ok(text === '' || text.endsWith('\n'))
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** A site whose audit log is longer than a batch of the stream. */
async function prepareLog(app: TestApp) {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  await onSiteOf(app, cats, (site) =>
    inTransaction(site.db, (db) =>
      recordChanges(
        { ...site, db },
        Array.from({ length: 1_203 }, (_row, index) => ({
          verb: 'page.created' as const,
          target: `p${index}`,
          after: { title: `Line\n"${index}"\u2028` },
        })),
      ),
    ),
  )
  const get = (query: string, more: object = {}) =>
    ask5(app, cats, `GET audit/export${query}`, { key, ...more })
  return { cats, key, get }
}

onEachStore('the export of the audit log', (store) => {
  test('is a stream of all rows that the parameters choose, for administrators', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, get } = await prepareLog(app)
    const whole = await get('')
    assert.deepEqual(
      [whole.status, whole.headers['content-type'], whole.headers['content-disposition']],
      [200, 'application/x-ndjson; charset=utf-8', 'attachment; filename="audit.ndjson"'],
    )
    const listed = await walk(app, cats, 'GET audit?limit=200', { key })
    assert.ok(listed.length > 1_203)
    assert.deepEqual(linesOf(whole.text), listed)
    for (const query of [
      'verb=page.created',
      'verb=page.deleted',
      'user_id=none',
      'created_after=2020-01-01T00:00:00Z',
    ])
      assert.deepEqual(
        linesOf((await get(`?${query}`)).text),
        await walk(app, cats, `GET audit?limit=200&${query}`, { key }),
        query,
      )
    const head = await app.send('HEAD', '/api/5/audit/export', {
      headers: { host: cats.hostname, 'x-api-key': key },
    })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('is written as CSV, one line a row', async () => {
    await using app = await startTestApp({ store })
    const { get } = await prepareLog(app)
    const csv = await get('?format=csv&verb=page.created')
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
    assert.equal(csv.text.split('\r\n').length, 1_203 + 2)
  })

  test('refuses parameters that it does not know', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const get = (query: string) => ask5(app, cats, `GET audit/export${query}`, { key })
    for (const query of [
      'format=xml',
      'verb=x',
      'created_after=today',
      'limit=5',
      'cursor=x',
      'format=csv&format=csv',
    ])
      assert.deepEqual(problem(await get(`?${query}`)), [400, 'invalid'], query)
  })

  test('is refused to managers, to keys without the scope and to visitors', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const get = (key: string | undefined) =>
      ask5(app, cats, 'GET audit/export', key === undefined ? {} : { key })
    const mia = await userWithKey(app, cats, 'mia', 'manager')
    for (const [other, status] of [
      [await keyOf(app, cats, 'admin', mia.userId), 403],
      [await keyOf(app, cats, 'write'), 403],
      [undefined, 401],
    ] as const)
      assert.equal((await get(other)).status, status)
    const manager = await visitAs(app, cats, { login: 'mia', password: 'a long password' })
    assert.equal((await manager.show('/dashboard/audit.ndjson')).status, 403)
    assert.equal((await askPage(app, cats, 'GET /dashboard/audit.ndjson')).status, 302)
  })

  test('is downloaded from the dashboard with the filters of the page', async () => {
    await using app = await startTestApp({ store })
    const { cats, key } = await prepareLog(app)
    const ada = await visitAs(app, cats)
    const page = await ada.show('/dashboard/audit?verb=page.created&who=x')
    assert.match(page.text, /href="\/dashboard\/audit\.ndjson\?verb=page\.created&amp;who=x"[^>]* download/)
    const saved = await ada.show('/dashboard/audit.ndjson?verb=page.created')
    assert.deepEqual(
      linesOf(saved.text),
      await walk(app, cats, 'GET audit?limit=200&verb=page.created', { key }),
    )
    assert.equal((await ada.show('/dashboard/audit.ndjson?who=nobody')).text, '')
    assert.equal((await ada.show('/dashboard/audit.ndjson?verb=x')).status, 400)
  })
})
