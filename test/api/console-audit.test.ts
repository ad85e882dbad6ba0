import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'

const headersOf = (text: string) => [...text.matchAll(/<h1[^>]*>([^<]*)<\/h1>/g)].map(([, title]) => title)

/** The rows of the table: its cells without markup. */
const rowsIn = (text: string) =>
  [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .slice(1)
    .map(([, row = '']) => row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))

const rowHeadersIn = (text: string) =>
  [...text.matchAll(/role="rowheader">(.*?)<\/th>/gs)].map(([, head = '']) =>
    head
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

onEachStore('the page Audit of the console', (store) => {
  test('shows operators and viewers who did what, with links to what is there', async () => {
    await using app = await startConsole({ store })
    await app.console.post('keys', { name: 'billing <b>' })
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    const limits = { SERVICE_MAX_FILES: '9', SERVICE_MAX_USERS: '2' }
    await app.call('POST', 'tenants-plans', { id: 'small', limits })
    await app.call('PATCH', 'tenants/cats', { env: { FTP_PASSWORD: 'canary' } })
    const viewer = await app.operator('viewer')
    for (const client of [app.console, viewer]) {
      const { status, text } = await client.get('audit')
      assert.equal(status, 200)
      assert.deepEqual(headersOf(text), ['Audit'])
      assert.match(text, /href="\/_\/console\/tenants\/cats"/)
      const rows = rowsIn(text)
      const heads = rowHeadersIn(text)
      assert.equal(heads.length, rows.length)
      assert.ok(heads.includes('Tenant changed cats'), heads.join())
      assert.ok(
        rows.some((row) => /Management key created .* grace 127\.0\.0\.1 .*billing &lt;b&gt;/.test(row)),
        rows.join(),
      )
      assert.ok(
        rows.some((row) => /Tenant changed cats .* – → FTP_PASSWORD/.test(row)),
        rows.join(),
      )
      assert.ok(
        rows.some((row) => / limits: SERVICE_MAX_FILES: 9, SERVICE_MAX_USERS: 2 /.test(row)),
        rows.join(),
      )
      assert.equal(text.includes('canary'), false)
    }
  })

  test('leads from a tenant and a plan to their rows, and from rows to what is still there', async () => {
    await using app = await startConsole({ store })
    for (const id of ['cats', 'dogs', 'new'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })
    for (const id of ['small', 'new']) await app.call('POST', 'tenants-plans', { id })
    await app.call('PATCH', 'tenants/dogs', { plan_id: 'small' })
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    await app.call('DELETE', 'tenants-plans/small')
    const { text } = await app.console.get('audit')
    for (const [link, isThere] of [
      ['tenants/dogs', true],
      ['tenants/-/new', true],
      ['plans/-/new', true],
      ['tenants/cats', false],
      ['plans/small', false],
    ] as const)
      assert.equal(text.includes(`href="/_/console/${link}"`), isThere, link)

    const page = await app.console.get('tenants/dogs')
    assert.match(page.text, /href="\/_\/console\/audit\?target=dogs"/)
    const own = rowsIn((await app.console.get('audit?target=dogs')).text)
    // Made, given the plan, and without it since the plan was deleted.
    assert.equal(own.length, 3)
    assert.ok(own.every((row) => row.includes('dogs')))
    const csv = await app.console.get('audit.csv?target=dogs&verb=tenant.updated')
    assert.equal(csv.text.trimEnd().split('\r\n').length, 3)
    assert.match((await app.console.get('audit?target=dogs')).text, /audit\.csv\?target=dogs"/)
    assert.equal(rowsIn((await app.console.get('audit?target=%00')).text).length > 2, true)
  })

  test('is filtered by kind, author and day, page by page, and downloaded as it is filtered', async () => {
    await using app = await startConsole({ store })
    for (let each = 0; each < 60; each += 1) await app.call('POST', 'tenants-plans', { id: `plan-${each}` })
    await app.console.post('keys', { name: 'billing' })
    const first = await app.console.get('audit?verb=plan.created')
    assert.equal(rowsIn(first.text).length, 50)
    const [, older = ''] = /href="\/_\/console\/(audit\?[^"]*before=\d+)"/.exec(first.text) ?? []
    const second = await app.console.get(older.replaceAll('&amp;', '&'))
    assert.equal(rowsIn(second.text).length, 10)
    assert.match(second.text, /plan-0\b/)
    const mine = await app.console.get('audit?who=GRACE&verb=key.created')
    assert.equal(rowsIn(mine.text).length, 1)
    assert.equal(rowsIn((await app.console.get('audit?who=nobody')).text).length, 0)
    const today = app.app.control.clock.now().toISOString().slice(0, 10)
    assert.ok(rowsIn((await app.console.get(`audit?day=${today}`)).text).length > 40)
    assert.match((await app.console.get('audit?day=2020-01-01')).text, /No entries/)
    for (const query of ['verb=none', 'day=2026-02-30', 'before=x'])
      assert.equal((await app.console.get(`audit?${query}`)).status, 400, query)

    const csv = await app.console.get('audit.csv?verb=plan.created')
    assert.match(String(csv.headers['content-disposition']), /filename="audit\.csv"/)
    assert.equal(csv.text.trimEnd().split('\r\n').length, 61)
    const ndjson = await app.console.get('audit.ndjson?who=grace&verb=key.created')
    const row = JSON.parse(ndjson.text)
    assert.deepEqual([row.verb, row.actor.kind, row.actor.name], ['key.created', 'operator', 'grace'])
    assert.equal(
      (await app.send('GET', '/_/console/audit.csv', { headers: { host: 'console.test' } })).status,
      302,
    )
  })
})
