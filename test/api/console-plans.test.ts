import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startConsole, type TestConsole } from '../support/console.ts'
import { type Answer, onBothStores, onEachStore } from '../support/harness.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { cellsOfTable } from '../support/tables.ts'
import { uploaded } from '../support/uploads.ts'

const versionIn = ({ text }: Answer) => /name="updated_at" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** The section with what a change does, as text. */
function previewIn({ text }: Answer): string {
  const [, section = ''] =
    /<section class="section"><h2[^>]*>What this changes<\/h2>([\s\S]*?)<\/section>/.exec(text) ?? []
  assert.notEqual(section, '', text)
  return section
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

async function tenantsOf(app: TestConsole, plan: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true, plan_id: plan })
}

onEachStore('plans in the console', (store) => {
  test('are listed with the number of their tenants, and created', async () => {
    await using app = await startConsole({ store })
    assert.match((await app.console.get('plans')).text, /No plans yet/)
    const made = await app.console.post('plans', { id: 'small' })
    assert.deepEqual([made.status, made.headers.location], [303, '/_/console/plans/small?saved=1'])
    await tenantsOf(app, 'small', ['a', 'b'])
    await app.call('POST', 'tenants-plans', {
      id: 'big',
      limits: { SERVICE_MAX_FILES: '9' },
      env: { A: '1', B: '2' },
    })
    const { text } = await app.console.get('plans')
    const { byHeader } = cellsOfTable(text)
    assert.deepEqual(byHeader.get('small')?.slice(0, 3), ['2', '0', '0'])
    assert.deepEqual(byHeader.get('big')?.slice(0, 3), ['0', '1', '2'])
    assert.match(text, /href="\/_\/console\/tenants\?plan=small"/)
    assert.match((await app.console.get('plans/new')).text, /<h1 dir="auto">New plan<\/h1>/)

    for (const [id, status] of [
      ['small', 409],
      ['SMALL', 409],
      ['no good', 400],
      ['', 400],
      ['constructor', 400],
    ] as const) {
      const refused = await app.console.post('plans', { id })
      assert.equal(refused.status, status, id)
      assert.match(refused.text, /id="id-fault" role="alert"/)
      assert.ok(refused.text.includes(`value="${id}"`))
    }
    assert.equal((await app.call('GET', 'tenants-plans')).json.length, 2)
  })

  test('show what a change does, which is what Save then does', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_FILES: '9' } })
    await app.tenant('cats')
    await app.tenant('dogs')
    await tenantsOf(app, 'small', ['new'])
    for (const id of ['cats', 'dogs']) await app.call('PATCH', `tenants/${id}`, { plan_id: 'small' })
    await app.call('PATCH', 'tenants/dogs', { limits: { SERVICE_MAX_FILES: '5' } })
    const change = { name: 'SERVICE_MAX_USERS', in: 'limits', value: '1' }
    const preview = await app.console.post('plans/small', change)
    assert.equal(preview.status, 200)
    assert.match(
      previewIn(preview),
      /^3 tenants change\. SERVICE_MAX_USERS : 0 \(Default\) → To 1 \(Plan limits\)/,
    )
    assert.match(previewIn(preview), /No tenant would be over the limit\./)
    assert.deepEqual((await app.call('GET', 'tenants-plans/small')).json.limits, { SERVICE_MAX_FILES: '9' })

    const saved = await app.console.post('plans/small', {
      ...change,
      save: '1',
      updated_at: versionIn(preview),
    })
    assert.deepEqual([saved.status, saved.headers.location], [303, '/_/console/plans/small?saved=1'])
    assert.deepEqual((await app.call('GET', 'tenants-plans/small')).json.limits, {
      SERVICE_MAX_FILES: '9',
      SERVICE_MAX_USERS: '1',
    })
    const removal = await app.console.post('plans/small', { remove: 'SERVICE_MAX_FILES', in: 'limits' })
    assert.match(
      previewIn(removal),
      /^2 tenants change\. 1 tenant keeps its own value\. SERVICE_MAX_FILES : 9 \(Plan limits\) → To 0 \(Default\)/,
    )
    const done = await app.console.post('plans/small', {
      remove: 'SERVICE_MAX_FILES',
      in: 'limits',
      save: '1',
    })
    assert.equal(done.status, 303)
    const effective = async (id: string) =>
      (await app.call('GET', `tenants/${id}/effective`)).json.limits.SERVICE_MAX_FILES.value
    assert.deepEqual(await Promise.all(['cats', 'dogs', 'new'].map(effective)), ['0', '5', '0'])
  })

  test('name who would be over, as the preview of the API does', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    for (const id of ['cats', 'dogs']) {
      const tenant = await app.tenant(id)
      await app.call('PATCH', `tenants/${id}`, { plan_id: 'small' })
      if (id === 'cats') await uploaded(app, tenant)
    }
    for (const [name, value] of [
      ['SERVICE_MAX_STORAGE', '100'],
      ['SERVICE_MAX_STORAGE_PER_USER', '100'],
      ['SERVICE_MAX_FILES', '1'],
      ['SERVICE_MAX_KEYS_PER_USER', '1'],
      ['SERVICE_MAX_TRAFFIC', '1'],
      ['SERVICE_MAX_UPLOAD_SIZE', '1'],
    ] as const) {
      const api = await app.call('POST', 'tenants-plans/small/preview', { limits: { [name]: value } })
      const over = api.json.data.flatMap((each: { tenant: string; exceeded: { limit: string }[] }) =>
        each.exceeded.some(({ limit }) => limit === name) ? [each.tenant] : [],
      )
      const page = await app.console.post('plans/small', { name, in: 'limits', value })
      const [, section = ''] = /What this changes([\s\S]*?)<\/section>/.exec(page.text) ?? []
      const linked = [...section.matchAll(/href="\/_\/console\/tenants\/(\w+)"/g)].map(([, id]) => id)
      assert.deepEqual(linked, over, name)
      if (name === 'SERVICE_MAX_STORAGE') {
        assert.deepEqual(over, ['cats'])
        assert.deepEqual(cellsOfTable(section).byHeader.get('cats')?.[1], '100 B')
      }
    }
  })

  test('say whose data would have to move', async () => {
    await using app = await startConsole({ store })
    await using database = await otherDatabase()
    await app.call('POST', 'tenants-plans', { id: 'small' })
    await app.tenant('cats')
    await app.call('PATCH', 'tenants/cats', { plan_id: 'small' })
    await tenantsOf(app, 'small', ['new'])
    const change = { name: 'SERVICE_DATABASE_URL', in: 'env', value: database.url }
    const preview = await app.console.post('plans/small', change)
    assert.match(previewIn(preview), /^2 tenants change\..*1 tenant would need a move.*cats/)
    assert.ok(!previewIn(preview).includes(database.url))
    const page = await app.console.post('plans/small', { name: 'OWN', in: 'env', value: 'x' })
    assert.doesNotMatch(previewIn(page), /move/)
  })

  test('are refused as the API refuses them, and by who may only look', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    for (const save of [{}, { save: '1' }]) {
      const bad = { name: 'SERVICE_MAX_FILES', in: 'limits', value: 'many', ...save }
      const refused = await app.console.post('plans/small', bad)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /id="value"[^>]*aria-invalid="true"[^>]* autofocus/)
      assert.match(refused.text, /id="value"[^>]* value="many"/)
    }
    const change = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '1' }
    for (const path of ['plans/none', 'plans/none/delete'])
      assert.equal((await app.console.post(path, change)).status, 404)
    assert.equal((await app.console.get('plans/none')).status, 404)
    const viewer = await app.operator('viewer')
    assert.doesNotMatch((await viewer.get('plans/small')).text, />Preview<|Delete the plan|name="value"/)
    for (const path of ['plans', 'plans/small', 'plans/small/delete'])
      assert.equal((await viewer.post(path, { ...change, id: 'x' })).status, 403, path)
  })

  test('are deleted; their tenants then have none', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    await tenantsOf(app, 'small', ['a', 'b'])
    assert.match((await app.console.get('plans/small')).text, /2 tenants will have no plan\./)
    const deleted = await app.console.post('plans/small/delete')
    assert.deepEqual([deleted.status, deleted.headers.location], [303, '/_/console/plans?saved=1'])
    assert.equal((await app.call('GET', 'tenants/a')).json.plan_id, null)
    assert.equal((await app.console.get('plans/small')).status, 404)
  })

  test('with many tenants are previewed from the copies of their totals, and name the first', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    const ids = Array.from({ length: 230 }, (_, index) => `t${1_000 + index}`)
    await tenantsOf(app, 'small', ids)
    // As if their sites had been installed and filled: this many real ones would take a minute.
    const { control } = app.app.control.store
    for (const [index, id] of ids.entries())
      await control
        .updateTable('site')
        .set({
          installedAt: '2026-11-19T00:00:00.000Z',
          stats: JSON.stringify({ files: index, storageUsed: index * 1_000 }),
        })
        .where('idKey', '=', id)
        .execute()
    const preview = await app.console.post('plans/small', {
      name: 'SERVICE_MAX_FILES',
      in: 'limits',
      value: '99',
    })
    assert.match(previewIn(preview), /^230 tenants change\..*130 tenants would be over the limit/)
    assert.match(previewIn(preview), /The first 50 are listed\./)
    const [, section = ''] = /What this changes([\s\S]*?)<\/section>/.exec(preview.text) ?? []
    const { byHeader } = cellsOfTable(section)
    assert.deepEqual([...byHeader.keys()].slice(0, 2), ['t1229', 't1228'])
    assert.deepEqual(byHeader.get('t1229'), ['229', '99'])
    assert.equal(byHeader.size, 50)
    const storage = await app.console.post('plans/small', {
      name: 'SERVICE_MAX_STORAGE',
      in: 'env',
      value: '228K',
    })
    assert.match(previewIn(storage), /1 tenant would be over the limit.*t1229 229 KB 228 KB/)
  })
})

onBothStores('a plan that two operators change', (store) => {
  test('is saved by the first; the second is shown that change, and Save then counts', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    const second = await app.operator('operator', 'mara')
    const late = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '22' }
    const seen = versionIn(await second.post('plans/small', late))
    const first = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '11', save: '1', updated_at: seen }
    assert.equal((await app.console.post('plans/small', first)).status, 303)
    const refused = await second.post('plans/small', { ...late, save: '1', updated_at: seen })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /grace changed this/)
    assert.match(refused.text, /Current value<\/dt><dd><[^>]*>11</)
    assert.match(previewIn(refused), /11 \(Plan limits\) → To 22/)
    assert.equal((await app.call('GET', 'tenants-plans/small')).json.limits.SERVICE_MAX_FILES, '11')
    const again = await second.post('plans/small', { ...late, save: '1', updated_at: versionIn(refused) })
    assert.equal(again.status, 303)
    assert.equal((await app.call('GET', 'tenants-plans/small')).json.limits.SERVICE_MAX_FILES, '22')
  })
})
