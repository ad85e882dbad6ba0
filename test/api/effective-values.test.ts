import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'vitest'
import { defaultValues, limitNames } from '../../src/site/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'

const effective = async (app: TestApp) => (await app.call('GET', 'tenants/cats/effective')).json

async function startCats(options: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp(options)
  await app.call('POST', 'tenants-plans', { id: 'p' })
  await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true, plan_id: 'p' })
  return app
}

const rows = ['plan_limits', 'plan_env', 'tenant_limits', 'tenant_env'] as const

onEachStore('effective values', (store) => {
  test('the highest of seven levels wins, whichever are set', async () => {
    for (const isInProcess of [false, true]) {
      for (const isEnforced of [false, true]) {
        await using app = await startCats({
          store,
          environment: {
            ...(isInProcess ? { SERVICE_MAX_FILES: '1' } : {}),
            ...(isEnforced ? { SERVICE_TENANT_ENFORCED: '{"SERVICE_MAX_FILES":6}' } : {}),
          },
        })
        for (let set = 0; set < 16; set++) {
          const has = (place: number) => (set & (1 << place)) !== 0
          const map = (place: number) => (has(place) ? { SERVICE_MAX_FILES: String(place + 2) } : {})
          await app.call('PATCH', 'tenants-plans/p', { limits: map(0), env: map(1) })
          await app.call('PATCH', 'tenants/cats', { limits: map(2), env: map(3) })
          const highest = [3, 2, 1, 0].find(has)
          const expected = isEnforced
            ? { value: '6', level: 'enforced' }
            : highest !== undefined
              ? { value: String(highest + 2), level: rows[highest] }
              : isInProcess
                ? { value: '1', level: 'process' }
                : { value: '0', level: 'default' }
          assert.deepEqual((await effective(app)).limits.SERVICE_MAX_FILES, expected)
        }
      }
    }
  })

  test('every known name is shown, in the order of names, limits apart from the rest', async () => {
    await using app = await startCats({ store })
    const json = await effective(app)
    assert.deepEqual(Object.keys(json), ['limits', 'env'])
    assert.deepEqual(Object.keys(json.limits), [...limitNames].sort())
    assert.deepEqual(
      Object.keys(json.env),
      [...defaultValues.keys()].filter((name) => !limitNames.has(name)).sort(),
    )
    for (const [name, value] of defaultValues)
      assert.deepEqual(json.limits[name] ?? json.env[name], { value, level: 'default' })
    assert.deepEqual(json.limits.SERVICE_MAX_UPLOAD_SIZE, { value: '100M', level: 'default' })
    assert.deepEqual(json.env.SERVICE_ENABLE_SIGNUP, { value: '0', level: 'default' })
    assert.deepEqual(json.env.SERVICE_ENABLE_API_USER, { value: '1', level: 'default' })
  })

  test('a name stands in one map only: with the limits when it is one, or was set as one', async () => {
    await using app = await startCats({ store })
    await app.call('PATCH', 'tenants-plans/p', {
      limits: { OWN_LIMIT: 'a', BOTH: 'a' },
      env: { SERVICE_MAX_TAGS: '3', P: 'p' },
    })
    await app.call('PATCH', 'tenants/cats', {
      limits: { SERVICE_ENABLE_SIGNUP: '1' },
      env: { BOTH: 'b', T: '', A0: 'x' },
    })
    const { limits, env } = await effective(app)
    assert.deepEqual(limits.OWN_LIMIT, { value: 'a', level: 'plan_limits' })
    assert.deepEqual(limits.BOTH, { value: 'b', level: 'tenant_env' })
    assert.deepEqual(limits.SERVICE_MAX_TAGS, { value: '3', level: 'plan_env' })
    assert.deepEqual(env.P, { value: 'p', level: 'plan_env' })
    assert.deepEqual(env.T, { value: '', level: 'tenant_env' })
    assert.deepEqual(limits.SERVICE_ENABLE_SIGNUP, { value: '1', level: 'tenant_limits' })
    assert.equal(env.BOTH, undefined)
    assert.deepEqual(
      Object.keys(limits).filter((name) => name in env),
      [],
    )
    assert.deepEqual(Object.keys(env), Object.keys(env).sort())
  })

  test('follow every change of the plan and the tenant at once', async () => {
    await using app = await startCats({ store })
    const levelOf = async () => (await effective(app)).limits.SERVICE_MAX_USERS.level
    assert.equal(await levelOf(), 'default')
    await app.call('PATCH', 'tenants-plans/p', { limits: { SERVICE_MAX_USERS: '5' } })
    assert.equal(await levelOf(), 'plan_limits')
    await app.call('PATCH', 'tenants/cats', { plan_id: '' })
    assert.equal(await levelOf(), 'default')
    await app.call('PATCH', 'tenants/cats', { plan_id: 'p' })
    assert.equal(await levelOf(), 'plan_limits')
    await app.call('DELETE', 'tenants-plans/p')
    assert.equal(await levelOf(), 'default')
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_MAX_USERS: '0' } })
    assert.deepEqual((await effective(app)).limits.SERVICE_MAX_USERS, { value: '0', level: 'tenant_env' })
    assert.equal((await app.call('GET', 'tenants/none/effective')).status, 404)
  })

  test('what is enforced cannot be set by a plan or a tenant, known name or not', async () => {
    const enforced = { SERVICE_MAX_USERS: '2', SERVICE_ENABLE_SIGNUP: false, OWN: 'fixed' }
    await using app = await startCats({
      store,
      environment: { SERVICE_TENANT_ENFORCED: JSON.stringify(enforced) },
    })
    const other = { SERVICE_MAX_USERS: '99', SERVICE_ENABLE_SIGNUP: '1', OWN: 'other' }
    assert.equal((await app.call('PATCH', 'tenants/cats', { limits: other, env: other })).status, 204)
    const { limits, env } = await effective(app)
    for (const [name, value] of Object.entries(enforced))
      assert.deepEqual(limits[name] ?? env[name], { value: String(value), level: 'enforced' })
    // What a tenant has set is still shown as it was set.
    assert.deepEqual((await app.call('GET', 'tenants/cats')).json.env, other)
  })
})

test('the environment of the process lends a site only the names that sites know', async () => {
  const canary = 'canary-4f1c'
  await using app = await startCats({
    environment: {
      SERVICE_MAX_ALBUMS: '7',
      SERVICE_ENABLE_UPLOAD_URL: '0',
      SERVICE_MAX_TAGS: ' 9 ',
      SERVICE_MAX_PAGES: '',
      SERVICE_TENANTS_API_REQUEST_SECRET: `${canary}-secret-secret`,
      SERVICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SERVICE_UNHEARD_OF: canary,
      SERVICE_HOSTNAME: `${canary}.test`,
      SERVICE_NAME: canary,
      PATH: canary,
      HOME: canary,
      NODE_OPTIONS: canary,
      AWS_SECRET_ACCESS_KEY: canary,
      MAX_FILES: canary,
    },
  })
  const { text, json } = await app.call('GET', 'tenants/cats/effective')
  assert.ok(!text.includes(canary))
  assert.ok(!/SECRET|ENCRYPTION|PATH|DATA_DIR|LISTEN|UNHEARD/.test(text.replaceAll('SERVICE_MAX_', '')))
  assert.deepEqual(json.limits.SERVICE_MAX_ALBUMS, { value: '7', level: 'process' })
  assert.deepEqual(json.limits.SERVICE_MAX_TAGS, { value: '9', level: 'process' })
  assert.deepEqual(json.limits.SERVICE_MAX_PAGES, { value: '100', level: 'default' })
  assert.deepEqual(json.env.SERVICE_ENABLE_UPLOAD_URL, { value: '0', level: 'process' })
})
