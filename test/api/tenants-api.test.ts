import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }

onEachStore('tenants', (store) => {
  test('a tenant is created, read and listed', async () => {
    await using app = await startTestApp({ store })
    const created = await app.call('POST', 'tenants', {
      id: 'Cats',
      hostname: 'Cats.Example.COM.',
      is_enabled: true,
    })
    assert.equal(created.status, 201)
    assert.equal(created.headers.location, '/_/api/4/tenants/Cats')
    assert.equal(created.headers['cache-control'], 'no-store')
    assert.equal(created.headers['x-content-type-options'], 'nosniff')
    assert.equal(created.json.hostname, 'cats.example.com')
    assert.equal(created.json.updated_at, created.json.created_at)
    assert.match(created.json.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(Object.keys(created.json), [
      'id',
      'hostname',
      'is_enabled',
      'created_at',
      'updated_at',
      'plan_id',
      'limits',
      'env',
      'stats',
      'last_job_at',
    ])
    assert.deepEqual(
      { ...created.json, stats: 0, created_at: 0, updated_at: 0 },
      {
        id: 'Cats',
        hostname: 'cats.example.com',
        is_enabled: true,
        plan_id: null,
        limits: {},
        env: {},
        stats: 0,
        created_at: 0,
        updated_at: 0,
        last_job_at: null,
      },
    )
    assert.deepEqual(Object.values(created.json.stats), Array(16).fill(0))

    assert.deepEqual((await app.call('GET', 'tenants/Cats')).json, created.json)
    assert.deepEqual((await app.call('GET', 'tenants')).json, [created.json])
  })

  test('a tenant is changed', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'Cats', hostname: 'cats.example.com', is_enabled: true })
    app.wait(5)
    const edit = {
      is_enabled: false,
      hostname: 'dogs.example.com',
      limits: { SERVICE_MAX_FILES: 7 },
      env: { A: true },
    }
    const changed = await app.call('PATCH', 'tenants/Cats', edit)
    assert.deepEqual([changed.status, changed.text], [204, ''])
    const { json } = await app.call('GET', 'tenants/Cats')
    assert.deepEqual(
      [json.is_enabled, json.hostname, json.limits, json.env],
      [false, 'dogs.example.com', { SERVICE_MAX_FILES: '7' }, { A: 'true' }],
    )
    assert.ok(json.updated_at > json.created_at)
  })

  test('a deleted tenant is not found', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'Cats', hostname: 'cats.example.com', is_enabled: true })
    const gone = await app.call('DELETE', 'tenants/Cats')
    assert.deepEqual([gone.status, gone.text], [204, ''])
    assert.equal((await app.call('GET', 'tenants/Cats')).status, 404)
    assert.equal((await app.call('DELETE', 'tenants/Cats')).status, 404)
    assert.equal((await app.call('PATCH', 'tenants/Cats', { is_enabled: true })).status, 404)
    assert.deepEqual((await app.call('GET', 'tenants')).json, [])
  })

  test('a map is replaced as a whole, and null or nothing clears it', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', {
      id: 'a',
      hostname: 'a.test',
      is_enabled: true,
      limits: { X: '1', Y: 2 },
      env: { Z: 'z' },
    })
    await app.call('PATCH', 'tenants/a', { limits: { Y: 3 } })
    assert.deepEqual((await app.call('GET', 'tenants/a')).json.limits, { Y: '3' })
    assert.deepEqual((await app.call('GET', 'tenants/a')).json.env, { Z: 'z' })
    await app.call('PATCH', 'tenants/a', { limits: null, env: {} })
    const { json } = await app.call('GET', 'tenants/a')
    assert.deepEqual([json.limits, json.env], [{}, {}])
  })

  test('a taken id, in any case, and a taken hostname are refused', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    const sameId = await app.call('POST', 'tenants', { id: 'CATS', hostname: 'other.test', is_enabled: true })
    assert.deepEqual([sameId.status, sameId.json.error.code], [409, 409])
    assert.match(sameId.json.error.message, /CATS/)
    const sameHost = await app.call('POST', 'tenants', {
      id: 'dogs',
      hostname: 'CATS.test',
      is_enabled: true,
    })
    assert.equal(sameHost.status, 409)
    assert.equal((await app.call('GET', 'tenants/dogs')).status, 404)
    await app.call('POST', 'tenants', { id: 'dogs', hostname: 'dogs.test', is_enabled: true })
    assert.equal((await app.call('PATCH', 'tenants/dogs', { hostname: 'cats.test' })).status, 409)
    assert.equal((await app.call('PATCH', 'tenants/dogs', { hostname: 'dogs.test' })).status, 204)
    assert.equal((await app.call('GET', 'tenants/dogs')).json.hostname, 'dogs.test')
  })

  test('lists are in the order of character codes', async () => {
    await using app = await startTestApp({ store })
    const ids = ['b', 'B1', 'z_x', 'a-1', 'a_1', 'A', 'a1', '0', 'Z']
    for (const [place, id] of ids.entries()) {
      await app.call('POST', 'tenants', { id, hostname: `h${place}.test`, is_enabled: true })
      await app.call('POST', 'tenants-plans', { id })
    }
    const sorted = [...ids].sort()
    assert.deepEqual(
      (await app.call('GET', 'tenants')).json.map((tenant: { id: string }) => tenant.id),
      sorted,
    )
    assert.deepEqual(
      (await app.call('GET', 'tenants-plans')).json.map((plan: { id: string }) => plan.id),
      sorted,
    )
    const { json } = await app.send('GET', '/_/api/4/config/proxy', { headers: { 'x-api-key': app.key } })
    const keys = Object.keys(json.http.routers)
    assert.deepEqual(new Set(keys), new Set(['*', ...sorted]))
  })

  test('an install makes a site with an admin and a key that is shown once', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 503)
    const { status, json } = await app.call('POST', 'tenants/cats/install', account)
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(json), ['id', 'hostname', 'url', 'admin', 'api_key'])
    assert.deepEqual(
      [json.id, json.hostname, json.admin],
      ['cats', 'cats.test', { username: 'ada', email: 'ada@example.com' }],
    )
    assert.equal(json.url, `http://cats.test:${app.port}/`)
    assert.match(json.api_key, /^trc_[A-Za-z0-9]+_[A-Za-z0-9]{43,}$/)
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 200)
    const { stats } = (await app.call('GET', 'tenants/cats')).json
    assert.deepEqual([stats.users, stats.admins, stats.managers, stats.files], [1, 1, 0, 0])
    assert.deepEqual((await app.call('GET', 'tenants')).json[0].stats, stats)

    const again = await app.call('POST', 'tenants/cats/install', account)
    assert.deepEqual([again.status, again.json.error.code], [409, 409])
    assert.equal((await app.call('POST', 'tenants/none/install', account)).status, 404)
  })

  test('a bad account is refused with each fault named, and nothing is made', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    const bad = { username: 'a b', email: 'nobody', password: '12345' }
    const { status, json } = await app.call('POST', 'tenants/cats/install', bad)
    assert.equal(status, 400)
    assert.deepEqual(
      json.error.list.map((line: string) => line.split(':')[0]),
      ['username', 'email', 'password'],
    )
    for (const field of ['username', 'email', 'password']) {
      const { [field as 'username']: _, ...rest } = account
      const { json: answer } = await app.call('POST', 'tenants/cats/install', rest)
      assert.deepEqual(answer.error.list, [`${field}: is required`])
    }
    assert.equal((await app.call('POST', 'tenants/cats/install', account)).status, 201)
  })

  test('a password is reset to the one given, or to a random one', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const path = 'tenants/cats/user-password-reset'
    const given = await app.call('PATCH', path, { username: 'ada', password: 'another one' })
    assert.deepEqual([given.status, given.json], [200, { username: 'ada', password: 'another one' }])
    assert.equal(given.headers['cache-control'], 'no-store')
    const random = await app.call('PATCH', path, { username: 'ada' })
    assert.match(random.json.password, /^[A-Za-z0-9]{17,}$/)
    assert.notEqual((await app.call('PATCH', path, { username: 'ada' })).json.password, random.json.password)
    assert.equal((await app.call('PATCH', path, { username: 'bob' })).status, 404)
    assert.equal((await app.call('PATCH', path, { username: 'ada', password: 'x' })).status, 400)
    assert.equal((await app.call('PATCH', path, {})).status, 400)
    assert.equal(
      (await app.call('PATCH', 'tenants/none/user-password-reset', { username: 'ada' })).status,
      404,
    )
    await app.call('POST', 'tenants', { id: 'raw', hostname: 'raw.test', is_enabled: true })
    assert.equal(
      (await app.call('PATCH', 'tenants/raw/user-password-reset', { username: 'ada' })).status,
      404,
    )
  })

  test('a deleted tenant leaves its tables for one of the same id', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.call('DELETE', 'tenants/cats')
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 404)
    await app.call('POST', 'tenants', { id: 'Cats', hostname: 'new.test', is_enabled: true })
    assert.equal((await app.call('POST', 'tenants/Cats/install', account)).status, 409)
    assert.equal((await app.send('GET', '/', { headers: { host: 'new.test' } })).status, 200)
    assert.equal((await app.call('GET', 'tenants/Cats')).json.stats.users, 1)
  })

  test('a tenant deleted with its tables is gone for good', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    assert.equal((await app.call('DELETE', 'tenants/cats', { drop_tables: true })).status, 204)
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    assert.equal((await app.call('GET', 'tenants/cats')).json.stats.users, 0)
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 503)
    assert.equal(
      (await app.call('POST', 'tenants/cats/install', { ...account, username: 'eve' })).status,
      201,
    )
    assert.equal(
      (await app.call('PATCH', 'tenants/cats/user-password-reset', { username: 'ada' })).status,
      404,
    )
  })

  test('a host answers by the state of its tenant', async () => {
    await using app = await startTestApp({ store })
    const get = (host: string, accept = '*/*') => app.send('GET', '/', { headers: { host, accept } })
    const unknown = await get('nobody.test')
    expect(unknown.json).toEqual({
      status_code: 404,
      error: { message: expect.any(String), code: 404, list: [expect.any(String)] },
      status_txt: 'Not Found',
    })
    await app.tenant('cats')
    assert.equal((await get('CATS.test.:8080')).status, 200)
    await app.call('PATCH', 'tenants/cats', { is_enabled: false })
    assert.equal((await get('cats.test')).status, 403)
    const page = await get('cats.test', 'text/html')
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.match(page.text, /disabled/)
    await app.call('PATCH', 'tenants/cats', { is_enabled: true, hostname: 'dogs.test' })
    assert.deepEqual([(await get('cats.test')).status, (await get('dogs.test')).status], [404, 200])
    assert.equal((await app.send('GET', '/_/health/live', { headers: { host: 'nobody.test' } })).status, 200)
  })
})
