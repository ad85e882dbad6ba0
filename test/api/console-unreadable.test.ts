import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { cellsOfTable } from '../support/tables.ts'
import { uploaded } from '../support/uploads.ts'

/** As if the key was lost that has encrypted it. */
async function lock(app: TestConsole, what: { tenant?: string; plan?: string; location?: string }) {
  const sealed = 'x.y.z.w'
  await app.app.control.store.changeControl(async (db) => {
    if (what.tenant !== undefined)
      await db.updateTable('tenant').set({ env: sealed }).where('id', '=', what.tenant).execute()
    if (what.plan !== undefined)
      await db.updateTable('plan').set({ env: sealed }).where('id', '=', what.plan).execute()
    if (what.location !== undefined) {
      const { site } = await db
        .selectFrom('tenant')
        .select('site')
        .where('id', '=', what.location)
        .executeTakeFirstOrThrow()
      await db.updateTable('site').set({ place: sealed }).where('number', '=', site).execute()
    }
  })
}

const help = /Add the missing encryption key to this installation again/

onEachStore('the console without the key of some values', (store) => {
  test('shows a tenant whose env is lost, and changes all that needs no env', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    await app.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_ALBUMS: '9' } })
    await app.call('PATCH', 'tenants/cats', { env: { A: '1', SERVICE_MAX_USERS: '5' } })
    await lock(app, { tenant: 'cats' })

    for (const path of ['', '/values', '/place', '/delete']) {
      const { status, text } = await app.console.get(`tenants/cats${path}`)
      assert.deepEqual([status, text.includes('class="incident"')], [200, false], path)
    }
    const { text } = await app.console.get('tenants/cats')
    assert.match(text, /The env values of this tenant can’t be decrypted/)
    assert.match(text, help)
    assert.match(text, /<dt>Files<\/dt><dd><span class="figure">1<\/span><\/dd>/)
    assert.match(text, /value="cats\.test"/)
    assert.match((await app.console.get('tenants/cats/place')).text, /Can’t be decrypted/)

    // What is in force is known only where nothing above it is lost.
    const values = (await app.console.get('tenants/cats/values')).text
    assert.match(values, help)
    const { columns, byHeader } = cellsOfTable(values)
    assert.deepEqual(columns.slice(0, 2), ['Name', 'In force'])
    const users = byHeader.get('SERVICE_MAX_USERS') ?? []
    assert.deepEqual([users[0], users[2]], ['', '0'])

    for (const [path, fields] of [
      ['tenants/cats', { hostname: 'cats2.test', plan_id: 'small' }],
      ['tenants/cats/disable', {}],
      ['tenants/cats/enable', {}],
      ['tenants/cats/values', { name: 'SERVICE_MAX_FILES', in: 'limits', value: '7' }],
      ['tenants/cats/values', { remove: 'SERVICE_MAX_FILES', in: 'limits' }],
    ] as const)
      assert.equal((await app.console.post(path, fields)).status, 303, path)
    assert.match((await app.console.get('tenants/cats')).text, /value="cats2\.test"/)

    for (const [path, fields] of [
      ['tenants/cats/values', { name: 'B', in: 'env', value: '2' }],
      ['tenants/cats/values', { remove: 'A' }],
      ['tenants/cats/move', {}],
      ['tenants/cats/users/admin/password', {}],
      ['jobs/run', { tenant_id: 'cats' }],
    ] as const) {
      const refused = await app.console.post(path, fields)
      assert.equal(refused.status, 409, path)
      assert.match(refused.text, /no key of this installation decrypts them/, path)
    }
    // A refused change left the lost values as they were.
    const row = app.app.control.store.control.selectFrom('tenant').select('env').where('id', '=', 'cats')
    assert.equal((await row.executeTakeFirstOrThrow()).env, 'x.y.z.w')

    const preview = await app.console.post('plans/small', {
      name: 'SERVICE_MAX_FILES',
      in: 'limits',
      value: '1',
    })
    assert.equal(preview.status, 200)
    assert.match(preview.text, /No tenant changes/)

    assert.equal((await app.console.post('tenants/cats/values/reveal')).status, 200)
    const deleted = await app.console.post('tenants/cats/delete', { confirm: 'cats', drop_tables: '1' })
    assert.equal(deleted.status, 303)
  })

  test('shows a plan whose env is lost, and its tenants', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    await app.call('POST', 'tenants-plans', {
      id: 'gold',
      env: { A: '1' },
      limits: { SERVICE_MAX_FILES: '9' },
    })
    await app.call('PATCH', 'tenants/cats', { plan_id: 'gold' })
    await lock(app, { plan: 'gold' })
    for (const path of ['plans/gold', 'tenants/cats', 'tenants/cats/values', 'tenants/cats/place']) {
      const { status, text } = await app.console.get(path)
      assert.equal(status, 200, path)
      assert.match(text, /can’t be decrypted/i, path)
    }
    const plan = (await app.console.get('plans/gold')).text
    assert.match(plan, /SERVICE_MAX_FILES/)
    const change = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '1' }
    for (const fields of [change, { name: 'B', in: 'env', value: '1', save: '1' }]) {
      const refused = await app.console.post('plans/gold', fields)
      assert.equal(refused.status, 409)
      assert.match(refused.text, /no key of this installation decrypts them/)
    }
    assert.equal((await app.console.post('plans/gold', { ...change, save: '1' })).status, 303)
    assert.equal((await app.call('GET', 'tenants-plans')).status, 503, 'the API answers as before')
    assert.equal((await app.console.post('plans/gold/delete')).status, 303)
    assert.equal((await app.console.get('tenants/cats')).status, 200)
  })

  test('shows a tenant whose location is lost', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    await lock(app, { location: 'cats' })
    for (const path of ['', '/values', '/place', '/delete'])
      assert.equal((await app.console.get(`tenants/cats${path}`)).status, 200, path)
    const { text } = await app.console.get('tenants/cats')
    assert.match(text, /Where the data of this tenant is stored can’t be decrypted/)
    assert.match(text, help)
    assert.equal((await app.console.post('tenants/cats/move')).status, 409)
    assert.equal((await app.console.post('tenants/cats/disable')).status, 303)
  })
})
