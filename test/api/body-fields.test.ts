import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'

const cats = { id: 'cats', hostname: 'cats.test', is_enabled: true }
const ada = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }

/** All that a refusal must leave as it was. */
const state = async (app: TestApp) =>
  (await app.call('GET', 'tenants')).text + (await app.call('GET', 'tenants-plans')).text

/** Every endpoint that takes a body, with one that is in order, on an installation with the tenant and plan `old`. */
const endpoints = [
  ['POST', 'tenants', { ...cats, plan_id: 'old', limits: { A: '1' }, env: { B: '2' } }],
  ['PATCH', 'tenants/old', { ...cats, id: undefined, plan_id: 'old', limits: { A: '1' }, env: { B: '2' } }],
  ['DELETE', 'tenants/old', { drop_tables: true }],
  ['POST', 'tenants/old/install', ada],
  ['PATCH', 'tenants/old/user-password-reset', { username: 'ada', password: 'another one' }],
  ['POST', 'tenants-plans', { id: 'new', limits: { A: '1' }, env: { B: '2' } }],
  ['PATCH', 'tenants-plans/old', { limits: { A: '1' }, env: { B: '2' } }],
] as const

async function startOld(store?: 'sqlite' | 'postgres'): Promise<TestApp> {
  const app = await startTestApp(store ? { store } : {})
  await app.call('POST', 'tenants-plans', { id: 'old', limits: { P: '1' }, env: { Q: '2' } })
  await app.call('POST', 'tenants', { id: 'old', hostname: 'old.test', is_enabled: true })
  return app
}

const typeOf: Readonly<Record<string, string>> = {
  is_enabled: 'a boolean',
  drop_tables: 'a boolean or null',
  limits: 'an object or null',
  env: 'an object or null',
  plan_id: 'a string or null',
}

onEachStore('fields', (store) => {
  test('a field that is unknown or of the wrong type is named and changes nothing', async () => {
    await using app = await startOld(store)
    const before = await state(app)
    for (const [method, path, body] of endpoints) {
      const fields = Object.entries(body).filter(([, value]) => value !== undefined)
      for (const [field, right] of fields) {
        const expected =
          typeOf[field] ?? (path.endsWith('reset') && field === 'password' ? 'a string or null' : 'a string')
        for (const wrong of [1, 1.5, 'text', '', true, false, [], [right], {}, { a: 1 }, 'true', '0', 0]) {
          if (
            isOfType(wrong, right) ||
            (field === 'limits' && isMap(wrong)) ||
            (field === 'env' && isMap(wrong)) ||
            ((field === 'limits' || field === 'env') && isEmptyList(wrong))
          )
            continue
          const { status, json } = await app.call(method, path, { ...body, [field]: wrong })
          const shown = `${method} ${path} ${field} ${JSON.stringify(wrong)}`
          assert.deepEqual([status, json.error.list], [400, [`${field}: must be ${expected}`]], shown)
        }
      }
      for (const name of [
        'created_at',
        'stats',
        'installed',
        'ID',
        'is_Enabled',
        ' id',
        '',
        'a.b',
        'a/b~c',
        'x'.repeat(200),
      ]) {
        const { status, json } = await app.call(method, path, { ...body, [name]: 1 })
        const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
        assert.deepEqual(
          [status, json.error.list],
          [400, [`${shown}: is not a known field`]],
          `${method} ${path}`,
        )
      }
    }
    assert.equal(await state(app), before)
  })

  test('null stands for nothing where a field may be left out, and is refused elsewhere', async () => {
    await using app = await startOld(store)
    const refused: [string, string, object, string][] = [
      ...['id', 'hostname', 'is_enabled'].map(
        (field) => ['POST', 'tenants', cats, field] as [string, string, object, string],
      ),
      ...['hostname', 'is_enabled'].map(
        (field) => ['PATCH', 'tenants/old', {}, field] as [string, string, object, string],
      ),
      ...['username', 'email', 'password'].map(
        (field) => ['POST', 'tenants/old/install', ada, field] as [string, string, object, string],
      ),
      ['PATCH', 'tenants/old/user-password-reset', {}, 'username'],
      ['POST', 'tenants-plans', {}, 'id'],
    ]
    const before = await state(app)
    for (const [method, path, body, field] of refused) {
      const { status, json } = await app.call(method, path, { ...body, [field]: null })
      assert.equal(status, 400)
      assert.deepEqual(json.error.list, [`${field}: must be ${typeOf[field] ?? 'a string'}`])
    }
    assert.equal(await state(app), before)

    const nothing = { plan_id: null, limits: null, env: null }
    const { json } = await app.call('POST', 'tenants', { ...cats, ...nothing })
    assert.deepEqual([json.plan_id, json.limits, json.env], [null, {}, {}])
    await app.call('PATCH', 'tenants/cats', { plan_id: 'old', limits: { A: '1' }, env: { B: '2' } })
    assert.equal((await app.call('PATCH', 'tenants/cats', nothing)).status, 204)
    const { json: cleared } = await app.call('GET', 'tenants/cats')
    assert.deepEqual([cleared.plan_id, cleared.limits, cleared.env], [null, {}, {}])
    assert.equal((await app.call('DELETE', 'tenants/cats', { drop_tables: null })).status, 204)
    await app.call('POST', 'tenants/old/install', ada)
    const reset = await app.call('PATCH', 'tenants/old/user-password-reset', {
      username: 'ada',
      password: null,
    })
    assert.match(reset.json.password, /^.{17,}$/)
  })

  test('a required field that is missing is named', async () => {
    await using app = await startOld(store)
    for (const [method, path, body] of [endpoints[0], endpoints[3], endpoints[5]]) {
      for (const field of path === 'tenants'
        ? Object.keys(cats)
        : path === 'tenants-plans'
          ? ['id']
          : Object.keys(ada)) {
        const { [field as 'id']: _, ...rest } = body as { id?: string }
        const { status, json } = await app.call(method, path, rest)
        assert.deepEqual([status, json.error.list], [400, [`${field}: is required`]])
      }
    }
    const { json } = await app.call('POST', 'tenants', {})
    assert.deepEqual(json.error.list, ['id: is required', 'hostname: is required', 'is_enabled: is required'])
    assert.equal(json.error.message, json.error.list.join('; '))
  })

  test('every fault of a body is named at once, of form and of rule', async () => {
    await using app = await startOld(store)
    const before = await state(app)
    const { status, json } = await app.call('POST', 'tenants', {
      id: 'a b',
      hostname: 'no host',
      is_enabled: 'yes',
      plan_id: 7,
      limits: { SERVICE_MAX_USERS: 'many', lower: '1', A: null, B: [1], SERVICE_MAX_STORAGE: '5T' },
      env: { OK: 'fine', 'NOT OK': '1', C: {}, D: 'x'.repeat(4_001) },
      extra: 1,
      another: 2,
    })
    assert.equal(status, 400)
    assert.deepEqual([...json.error.list].sort(), [
      'another: is not a known field',
      'env.C: must be a string or a number or a boolean',
      'env.D: must be at most 4000 bytes long, not 4001',
      'env.NOT OK: must be a name of A-Z 0-9 _',
      'extra: is not a known field',
      'hostname: must be a DNS name',
      'id: must be 1 to 64 of A-Z a-z 0-9 _ -, a letter or digit first',
      'is_enabled: must be a boolean',
      'limits.A: must be a string or a number or a boolean',
      'limits.B: must be a string or a number or a boolean',
      'limits.SERVICE_MAX_STORAGE: must be a whole number of at most 15 digits, K, M or G may follow',
      'limits.SERVICE_MAX_USERS: must be a whole number',
      'limits.lower: must be a name of A-Z 0-9 _',
      'plan_id: must be a string or null',
    ])
    const install = await app.call('POST', 'tenants/old/install', {
      username: 'a b',
      email: 1,
      password: 'x',
      role: 'admin',
    })
    assert.deepEqual(install.json.error.list, [
      'role: is not a known field',
      'email: must be a string',
      'username: must be 3 to 32 of A-Z a-z 0-9 _ . -',
      'password: must be 6 to 128 characters long, not 1',
    ])
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, place) => [`F${place}`, null]))
    const { json: long } = await app.call('POST', 'tenants', { ...cats, ...many, limits: many, env: many })
    assert.equal(long.error.list.length, 99)
    assert.equal(await state(app), before)
  })

  test('an account is checked before the tenant is looked for', async () => {
    await using app = await startOld(store)
    for (const [path, body, status] of [
      ['tenants/none/install', { ...ada, email: 'nobody' }, 400],
      ['tenants/none/install', ada, 404],
    ] as const) {
      assert.equal((await app.call('POST', path, body)).status, status)
    }
    for (const [path, body, status] of [
      ['tenants/none/user-password-reset', { username: 'ada', password: 'x' }, 400],
      ['tenants/none/user-password-reset', { username: 'ada' }, 404],
      ['tenants/old/user-password-reset', { username: 'a\0b' }, 404],
      ['tenants/old/user-password-reset', { username: '' }, 404],
      ['tenants/old/user-password-reset', { username: 'x'.repeat(100_000) }, 404],
    ] as const) {
      assert.equal((await app.call('PATCH', path, body)).status, status)
    }
    for (const email of [
      'a\0b@c.de',
      'a\u200bb@c.de',
      'a\u0007@c.de',
      'a b@c.de',
      'a@b@c.de',
      '@c.de',
      'a@',
      'a@-c.de',
      'a@c..de',
    ]) {
      const { status, json } = await app.call('POST', 'tenants/old/install', { ...ada, email })
      assert.deepEqual([status, json.error.list], [400, ['email: must be an e-mail address']], email)
    }
    for (const username of ['ab', 'x'.repeat(33), 'a b', 'a\0b', 'a/b', '\u00e4da', 'ada\n', '']) {
      assert.equal(
        (await app.call('POST', 'tenants/old/install', { ...ada, username })).status,
        400,
        username,
      )
    }
    assert.equal(
      (await app.call('POST', 'tenants/old/install', { ...ada, password: 'pass\0word \u{1f511}' })).status,
      201,
    )
    await app.call('PATCH', 'tenants/old/user-password-reset', { username: 'ADA' })
    const reset = await app.call('PATCH', 'tenants/old/user-password-reset', { username: 'a\0b' })
    assert.equal(reset.status, 404)
  })
})

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const isOfType = (value: unknown, like: unknown) =>
  isMap(value) || isMap(like)
    ? isMap(value) && isMap(like)
    : Array.isArray(value) === Array.isArray(like) && typeof value === typeof like

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
