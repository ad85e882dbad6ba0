import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'

const planOf = async (app: TestApp, tenant: string) =>
  (await app.call('GET', `tenants/${tenant}`)).json.plan_id

onEachStore('plans', (store) => {
  test('a plan is created, read, listed, changed and deleted', async () => {
    await using app = await startTestApp({ store })
    assert.deepEqual((await app.call('GET', 'tenants-plans')).json, [])
    const created = await app.call('POST', 'tenants-plans', {
      id: 'Small',
      limits: { SERVICE_MAX_FILES: 10, SERVICE_MAX_STORAGE: '5G', OWN_NAME: 'kept' },
      env: { SERVICE_ENABLE_SIGNUP: true },
    })
    assert.equal(created.status, 201)
    assert.equal(created.headers.location, '/_/api/4/tenants-plans/Small')
    assert.equal(created.headers['cache-control'], 'no-store')
    assert.equal(created.headers['x-content-type-options'], 'nosniff')
    assert.deepEqual(Object.keys(created.json), ['id', 'limits', 'env', 'created_at', 'updated_at'])
    assert.deepEqual(
      [created.json.id, created.json.limits, created.json.env],
      [
        'Small',
        { SERVICE_MAX_FILES: '10', SERVICE_MAX_STORAGE: '5G', OWN_NAME: 'kept' },
        { SERVICE_ENABLE_SIGNUP: 'true' },
      ],
    )
    assert.match(created.json.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.equal(created.json.updated_at, created.json.created_at)

    const read = await app.call('GET', 'tenants-plans/Small')
    assert.deepEqual([read.status, read.json], [200, created.json])
    const list = await app.call('GET', 'tenants-plans')
    assert.deepEqual([list.status, list.json], [200, [created.json]])

    app.wait(5)
    const changed = await app.call('PATCH', 'tenants-plans/Small', { limits: { SERVICE_MAX_USERS: '3' } })
    assert.deepEqual([changed.status, changed.text], [204, ''])
    const { json } = await app.call('GET', 'tenants-plans/Small')
    assert.deepEqual([json.limits, json.env], [{ SERVICE_MAX_USERS: '3' }, { SERVICE_ENABLE_SIGNUP: 'true' }])
    assert.ok(json.updated_at > json.created_at)
    assert.equal(json.created_at, created.json.created_at)

    const gone = await app.call('DELETE', 'tenants-plans/Small')
    assert.deepEqual([gone.status, gone.text], [204, ''])
    assert.deepEqual((await app.call('GET', 'tenants-plans')).json, [])
  })

  test('a plan without values has empty limits and no env', async () => {
    await using app = await startTestApp({ store })
    for (const [id, rest] of Object.entries({
      none: {},
      nulls: { limits: null, env: null },
      empty: { limits: {}, env: {} },
    })) {
      const { status, json } = await app.call('POST', 'tenants-plans', { id, ...rest })
      assert.deepEqual([status, json.limits, json.env], [201, {}, null])
      const { json: read } = await app.call('GET', `tenants-plans/${id}`)
      assert.deepEqual([read.limits, read.env], [{}, null])
    }
  })

  test('an edit replaces whole maps, and null or nothing clears them', async () => {
    await using app = await startTestApp({ store })
    const full = { limits: { A: '1', B: '2' }, env: { C: '3', D: '4' } }
    for (const [edit, limits, env] of [
      [{ limits: { A: '9' } }, { A: '9' }, full.env],
      [{ env: { C: '9' } }, full.limits, { C: '9' }],
      [{ limits: null }, {}, full.env],
      [{ env: null }, full.limits, null],
      [{ limits: {}, env: {} }, {}, null],
      [{ limits: null, env: { E: '' } }, {}, { E: '' }],
    ] as const) {
      await app.call('DELETE', 'tenants-plans/p')
      await app.call('POST', 'tenants-plans', { id: 'p', ...full })
      assert.equal((await app.call('PATCH', 'tenants-plans/p', edit)).status, 204)
      const { json } = await app.call('GET', 'tenants-plans/p')
      assert.deepEqual([json.limits, json.env], [limits, env])
    }
  })

  test('a taken id is refused in any case, and the plan that has it stays', async () => {
    await using app = await startTestApp({ store })
    const { json } = await app.call('POST', 'tenants-plans', { id: 'Small', limits: { A: '1' } })
    for (const id of ['Small', 'small', 'SMALL']) {
      const again = await app.call('POST', 'tenants-plans', { id, limits: { A: '2' } })
      assert.deepEqual([again.status, again.json.error.code], [409, 409])
      assert.ok(again.json.error.message.includes(id))
    }
    assert.deepEqual((await app.call('GET', 'tenants-plans')).json, [json])
    assert.equal((await app.call('POST', 'tenants', tenantOn('small'))).status, 409)
  })

  test('an unknown plan is not found, whatever is asked of it', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    for (const id of [
      'none',
      'SMALL',
      'a%00b',
      '__proto__',
      'constructor',
      '%2e%2e',
      'a'.repeat(300),
      '%F0%9F%98%80',
    ]) {
      const answers = [
        await app.call('GET', `tenants-plans/${id}`),
        await app.call('PATCH', `tenants-plans/${id}`, { limits: {} }),
        await app.call('DELETE', `tenants-plans/${id}`),
      ]
      for (const { status, json } of answers) {
        assert.equal(status, 404, id)
        assert.deepEqual(json, {
          status_code: 404,
          error: { message: 'Tenant plan not found', code: 404, list: ['Tenant plan not found'] },
          status_txt: 'Not Found',
        })
      }
    }
  })

  test('a bad body is refused before the plan is looked for', async () => {
    await using app = await startTestApp({ store })
    for (const [body, fault] of [
      [{ limits: { SERVICE_MAX_USERS: 'many' } }, 'limits.SERVICE_MAX_USERS: must be a whole number'],
      [{ id: 'other' }, 'id: is not a known field'],
      [{}, 'At least one field must be given'],
      [undefined, 'A JSON body is required.'],
    ] as const) {
      const { status, json } = await app.call('PATCH', 'tenants-plans/none', body)
      assert.deepEqual([status, json.error.list], [400, [fault]])
    }
    assert.equal((await app.call('DELETE', 'tenants-plans/none', { drop_tables: true })).status, 400)
  })

  test('a tenant takes a plan, changes it and leaves it', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['one', 'two']) await app.call('POST', 'tenants-plans', { id })
    const created = await app.call('POST', 'tenants', tenantOn('one'))
    assert.deepEqual([created.status, created.json.plan_id], [201, 'one'])
    for (const [planId, expected] of [
      ['two', 'two'],
      ['', null],
      ['one', 'one'],
      [null, null],
      ['one', 'one'],
    ]) {
      assert.equal((await app.call('PATCH', 'tenants/cats', { plan_id: planId })).status, 204)
      assert.equal(await planOf(app, 'cats'), expected)
    }
    await app.call('PATCH', 'tenants/cats', { is_enabled: false })
    assert.equal(await planOf(app, 'cats'), 'one')
  })

  test('a tenant may be created without a plan in three ways', async () => {
    await using app = await startTestApp({ store })
    for (const [place, planId] of [undefined, null, ''].entries()) {
      const body = { ...tenantOn(planId), id: `t${place}`, hostname: `t${place}.test` }
      const { status, json } = await app.call('POST', 'tenants', body)
      assert.deepEqual([status, json.plan_id], [201, null])
    }
  })

  test('an unknown plan is a conflict on create and on edit, and nothing changes', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'one' })
    await app.call('POST', 'tenants', { ...tenantOn('one'), id: 'dogs', hostname: 'dogs.test' })
    const before = (await app.call('GET', 'tenants')).text
    for (const planId of ['none', 'ONE', ' one', 'a\0b', '__proto__', 'x'.repeat(5_000)]) {
      const created = await app.call('POST', 'tenants', tenantOn(planId))
      assert.deepEqual([created.status, created.json.error.code], [409, 409], planId)
      const edited = await app.call('PATCH', 'tenants/dogs', { plan_id: planId, is_enabled: false })
      assert.deepEqual([edited.status, edited.json.error.code], [409, 409], planId)
    }
    assert.equal((await app.call('GET', 'tenants')).text, before)
    assert.equal((await app.call('PATCH', 'tenants/none', { plan_id: 'none' })).status, 404)
  })

  test('deleting a plan frees its tenants and no others', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['one', 'two']) await app.call('POST', 'tenants-plans', { id, limits: { OWN: id } })
    for (const [id, plan] of [
      ['a', 'one'],
      ['b', 'one'],
      ['c', 'two'],
    ] as const) {
      await app.call('POST', 'tenants', { ...tenantOn(plan), id, hostname: `${id}.test` })
    }
    assert.equal((await app.call('GET', 'tenants/a/effective')).json.limits.OWN.value, 'one')
    assert.equal((await app.call('DELETE', 'tenants-plans/one')).status, 204)
    assert.deepEqual(
      [await planOf(app, 'a'), await planOf(app, 'b'), await planOf(app, 'c')],
      [null, null, 'two'],
    )
    assert.equal((await app.call('GET', 'tenants/a/effective')).json.limits.OWN, undefined)
    const list = (await app.call('GET', 'tenants')).json
    assert.deepEqual(
      list.map((tenant: { plan_id: string | null }) => tenant.plan_id),
      [null, null, 'two'],
    )

    // A plan that is made anew under the same id has nothing to do with those it once had.
    await app.call('POST', 'tenants-plans', { id: 'one' })
    assert.equal(await planOf(app, 'a'), null)
  })
})

const tenantOn = (planId: string | null | undefined) => ({
  id: 'cats',
  hostname: 'cats.test',
  is_enabled: true,
  ...(planId === undefined ? {} : { plan_id: planId }),
})
