import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore } from '../support/harness.ts'
import { freshInstallation, installationWithCats, refused } from '../support/tool.ts'

const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
const bob = ['--username', 'bob', '--email', 'bob@example.com', '--password', 'a long password']
const createUser = ['site', '--tenant', 'cats', 'user:create']
const reset = ['tenants', 'password-reset', '--id', 'cats', '--username', 'ada']
const timestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

const statNames =
  'tags files pages users admins albums managers storages cron_time categories file_likes file_views album_likes album_views storage_used login_providers'

onEachStore('the tool', (store) => {
  test('works on one installation, one process after the other', async () => {
    await using installation = await freshInstallation(store)
    const created = await installation.bin('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    assert.deepEqual([created.code, created.out], [0, 'Created the tenant cats on cats.test.\n'])
    assert.match(created.err, /Next: tenants install --id cats/)
    const installed = await installation.bin('tenants', 'install', '--id', 'cats', ...ada)
    assert.equal(installed.code, 0)
    assert.match(installed.out, /^upload key\ttrc_\w+$/m)
    const again = await installation.bin('tenants', 'install', '--id', 'cats', ...ada)
    assert.deepEqual([again.code, again.out, again.err], [1, '', 'The tenant "cats" is already installed.\n'])
    const listed = await installation.bin('tenants', 'list', '--json')
    assert.equal(listed.out, `${JSON.stringify(JSON.parse(listed.out), null, 2)}\n`)
    assert.deepEqual(JSON.parse(listed.out), await installation.json('tenants', 'list'))
  })

  test('creates tenants as the API does, and lists them', async () => {
    await using installation = await freshInstallation(store)
    const empty = await installation.run('tenants', 'list')
    assert.deepEqual([empty.code, empty.out], [0, ''])
    assert.match(empty.err, /no tenants yet.*tenants create --id/)
    assert.deepEqual(await installation.json('tenants', 'list'), [])

    const limits = '{"SERVICE_MAX_USERS":2,"SERVICE_MAX_STORAGE":"10G"}'
    const env = '{"SECRET":"s3cret","ON":true}'
    const cats = ['--id', 'cats', '--hostname', 'Cats.Example.com']
    const created = await installation.json('tenants', 'create', ...cats, '--limits', limits, '--env', env)
    assert.deepEqual(Object.keys(created), [
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
      { ...created, created_at: '', updated_at: '' },
      {
        id: 'cats',
        hostname: 'cats.example.com',
        is_enabled: true,
        created_at: '',
        updated_at: '',
        plan_id: null,
        limits: { SERVICE_MAX_USERS: '2', SERVICE_MAX_STORAGE: '10G' },
        env: { SECRET: 's3cret', ON: 'true' },
        stats: Object.fromEntries(statNames.split(' ').map((name) => [name, 0])),
        last_job_at: null,
      },
    )
    assert.match(created.created_at, timestamp)

    await installation.json('tenants', 'plan:create', '--id', 'small')
    const off = ['--is_enabled', '0', '--plan-id', 'small']
    await installation.json('tenants', 'create', '--id', 'ants', '--hostname', 'ants.test', ...off)
    const [ants, listed] = await installation.json('tenants', 'list')
    assert.deepEqual([ants.id, ants.is_enabled, ants.plan_id], ['ants', false, 'small'])
    assert.deepEqual(listed, created)
  })

  test('refuses to create a tenant for the reasons of the API', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.example.com')
    await refused(
      installation,
      ['tenants', 'create', '--id', 'CATS', '--hostname', 'b.test'],
      'already a tenant "CATS"',
    )
    await refused(
      installation,
      ['tenants', 'create', '--id', 'b', '--hostname', 'cats.example.com'],
      'another tenant',
    )
    await refused(
      installation,
      ['tenants', 'create', '--id', 'b', '--hostname', 'b.test', '--plan_id', 'x'],
      'no plan "x"',
    )
    const bad = await installation.run(
      'tenants',
      'create',
      '--id',
      '!',
      '--hostname',
      '*',
      '--limits',
      '{"a":1}',
    )
    assert.equal(bad.code, 1)
    assert.deepEqual(
      bad.err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
      ['id', 'hostname', 'limits.a'],
    )
  })

  test('changes tenants', async () => {
    await using installation = await freshInstallation(store)
    const values = ['--limits', '{"SERVICE_MAX_USERS":2}', '--env', '{"SECRET":"s3cret"}']
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test', ...values)
    await installation.json('tenants', 'plan:create', '--id', 'small')
    const off = ['--is_enabled', '0', '--plan-id', 'small']
    await installation.json('tenants', 'create', '--id', 'ants', '--hostname', 'ants.test', ...off)

    const change = ['--is_enabled', '1', '--plan_id', '', '--hostname', 'ants.example.com']
    const edited = await installation.json('tenants', 'edit', '--id', 'ants', ...change)
    assert.deepEqual([edited.is_enabled, edited.plan_id, edited.hostname], [true, null, 'ants.example.com'])
    const cleared = await installation.json(
      'tenants',
      'edit',
      '--id',
      'cats',
      '--limits',
      'null',
      '--env',
      'null',
    )
    assert.deepEqual([cleared.limits, cleared.env], [{}, {}])
    assert.deepEqual(await installation.json('tenants', 'get', '--id', 'cats'), cleared)
  })

  test('deletes tenants', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'create', '--id', 'ants', '--hostname', 'ants.test')
    assert.deepEqual(await installation.json('tenants', 'delete', '--id', 'ants'), {
      id: 'ants',
      deleted: true,
    })
    for (const words of [['get'], ['edit', '--is_enabled', '1'], ['delete'], ['install', ...ada]]) {
      await refused(installation, ['tenants', ...words, '--id', 'ants'], 'Tenant not found')
    }
  })

  test('installs a tenant once, with its administrator and an upload key', async () => {
    await using installation = await freshInstallation(store, { SERVICE_PUBLIC_SCHEME: 'https' })
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    await refused(installation, [...createUser, ...bob], 'being prepared')
    await refused(installation, reset, 'no user "ada"')

    const faulty = await installation.run(
      'tenants',
      'install',
      '--id',
      'cats',
      '--username',
      'a',
      '--email',
      'b',
      '--password',
      'c',
    )
    assert.equal(faulty.code, 1)
    assert.equal(faulty.err.trimEnd().split('\n').length, 3)

    const installed = await installation.json('tenants', 'install', '--id', 'cats', ...ada)
    assert.match(installed.api_key, /^trc_[A-Za-z0-9]+_[A-Za-z0-9]+$/)
    assert.deepEqual(
      { ...installed, api_key: '' },
      {
        id: 'cats',
        hostname: 'cats.test',
        url: 'https://cats.test/',
        admin: { username: 'ada', email: 'ada@example.com' },
        api_key: '',
      },
    )
    await refused(installation, ['tenants', 'install', '--id', 'cats', ...ada], 'already installed')
  })

  test('adds users up to the limit of the tenant', async () => {
    await using installation = await installationWithCats(store, '{"SERVICE_MAX_USERS":3}')
    const user = await installation.json(...createUser, ...bob, '--role', 'manager')
    assert.deepEqual([user.username, user.email, user.role], ['bob', 'bob@example.com', 'manager'])
    await refused(installation, [...createUser, ...bob], 'already a user "bob"')
    const eve = ['--username', 'eve', '--email', 'eve@example.com', '--password', 'a long password']
    // The tenant may be named behind the command as well.
    const { code, out } = await installation.run('site', 'user:create', '--tenant=cats', ...eve)
    assert.deepEqual([code, out], [0, 'Created the user eve of cats.test.\n'])
    const max = ['--username', 'max', '--email', 'max@example.com', '--password', 'a long password']
    await refused(installation, [...createUser, ...max], 'SERVICE_MAX_USERS')
    const { stats } = await installation.json('tenants', 'get', '--id', 'cats')
    assert.deepEqual([stats.users, stats.admins, stats.managers], [3, 1, 1])
  })

  test('adds keys to users', async () => {
    await using installation = await installationWithCats(store)
    await installation.json(...createUser, ...bob)
    const userKey = ['site', '--tenant', 'cats', 'user:key', '--username']
    const key = await installation.json(...userKey, 'BOB', '--name', 'phone')
    assert.deepEqual(Object.keys(key), [
      'id',
      'username',
      'name',
      'scope',
      'album_id',
      'created_at',
      'expires_at',
      'allowed_origins',
      'allowed_addresses',
      'last_used_at',
      'key',
    ])
    assert.deepEqual([key.username, key.name], ['bob', 'phone'])
    await refused(installation, [...userKey, 'bob', '--name', 'phone'], 'already has a key named "phone"')
    await refused(installation, [...userKey, 'nobody'], 'no user "nobody"')
    const unnamed = [await installation.json(...userKey, 'bob'), await installation.json(...userKey, 'bob')]
    assert.notEqual(unnamed[0].name, unnamed[1].name)
  })

  test('resets passwords', async () => {
    await using installation = await installationWithCats(store)
    const random = await installation.json(...reset)
    assert.equal(random.username, 'ada')
    assert.ok(random.password.length >= 16)
    assert.deepEqual(await installation.json(...reset, '--password=-dashed-'), {
      username: 'ada',
      password: '-dashed-',
    })
    await refused(installation, [...reset, '--password', 'short'], 'password: must be 6 to 128')
  })

  test('keeps plans as the API does', async () => {
    await using installation = await freshInstallation(store)
    assert.match(
      (await installation.run('tenants', 'plan:list')).err,
      /no plans yet.*tenants plan:create --id/,
    )
    const small = await installation.json(
      'tenants',
      'plan:create',
      '--id',
      'small',
      '--limits',
      '{"SERVICE_MAX_USERS":"5"}',
    )
    assert.deepEqual(
      { ...small, created_at: '', updated_at: '' },
      { id: 'small', limits: { SERVICE_MAX_USERS: '5' }, env: null, created_at: '', updated_at: '' },
    )
    await refused(installation, ['tenants', 'plan:create', '--id', 'Small'], 'already a plan')
    await installation.json(
      'tenants',
      'create',
      '--id',
      'cats',
      '--hostname',
      'cats.test',
      '--plan_id',
      'small',
    )

    const edit = ['tenants', 'plan:edit', '--id', 'small']
    const edited = await installation.json(...edit, '--limits', 'null', '--env', '{"A":"1"}')
    assert.deepEqual([edited.limits, edited.env], [{}, { A: '1' }])
    const again = await installation.json(...edit, '--limits', '[ ]')
    assert.deepEqual([again.limits, again.env], [{}, { A: '1' }])
    assert.deepEqual(await installation.json('tenants', 'plan:get', '--id', 'small'), again)
    assert.deepEqual(await installation.json('tenants', 'plan:list'), [again])
    assert.match((await installation.run('tenants', 'plan:get', '--id', 'small')).out, /^env\.A\t1$/m)

    assert.deepEqual(await installation.json('tenants', 'plan:delete', '--id', 'small'), {
      id: 'small',
      deleted: true,
    })
    assert.equal((await installation.json('tenants', 'get', '--id', 'cats')).plan_id, null)
    await refused(installation, ['tenants', 'plan:get', '--id', 'small'], 'plan not found')
    await refused(installation, [...edit, '--env', 'null'], 'plan not found')
  })

  test('shows the usage of tenants as a table, CSV and JSON, and refuses what is no day', async () => {
    await using installation = await installationWithCats(store)
    const usage = ['tenants', 'usage']
    const { from, to, step, data } = await installation.json(...usage, '--step', 'total')
    assert.deepEqual([step, data.length, data[0].tenant, data[0].users], ['total', 1, 'cats', 1])
    const cats = await installation.json(...usage, '--id', 'cats', '--from', from, '--to', to)
    assert.equal('tenant' in cats.data[0], false)
    assert.equal(cats.data.at(-1).users, 1)
    const table = (await installation.run(...usage, '--id', 'cats')).out.split('\n')
    assert.match(table[0] ?? '', /^DATE\tUPLOADS\t/)
    const csv = (await installation.run(...usage, '--csv')).out.split('\n')
    assert.match(csv[0] ?? '', /^tenant,date,uploads,upload_bytes,/)
    assert.match(csv[1] ?? '', /^cats,\d{4}-\d\d-\d\d,0,0,/)
    for (const bad of [
      ['--from', '2026-02-30'],
      ['--step', 'week'],
      ['--from', '2026-02-02', '--to', '2026-02-01'],
      ['--csv', '--json'],
    ])
      assert.equal((await installation.run(...usage, ...bad)).code, 2, bad.join(' '))
    await refused(installation, [...usage, '--id', 'dogs'], 'not found')
  })

  test('shows the quotas of a tenant, and when its site is suspended', async () => {
    await using installation = await installationWithCats(store)
    const quotas = ['tenants', 'quotas', '--id', 'cats']
    assert.equal((await installation.run(...quotas)).out, 'The tenant cats has no quotas.\n')
    const limits = JSON.stringify({ SERVICE_MAX_STORAGE: '5G', SERVICE_MAX_TRAFFIC: '1M' })
    await installation.json('tenants', 'edit', '--id', 'cats', '--limits', limits)
    const { action, suspended_at: suspendedAt, data } = await installation.json(...quotas)
    assert.deepEqual([action, suspendedAt], ['refuse', null])
    assert.deepEqual(data, [
      { limit: 'SERVICE_MAX_STORAGE', value: 5e9, used: 0, reserved: 0, percent: 0, state: 'ok' },
      { limit: 'SERVICE_MAX_TRAFFIC', value: 1e6, used: 0, reserved: 0, percent: 0, state: 'ok' },
    ])
    const lines = (await installation.run(...quotas)).out.split('\n')
    assert.deepEqual(lines.slice(0, 2), [
      'QUOTA\tVALUE\tUSED\tRESERVED\tPERCENT\tSTATE',
      'SERVICE_MAX_STORAGE\t5 GB\t0 B\t0 B\t0%\tok',
    ])
    await refused(installation, ['tenants', 'quotas', '--id', 'dogs'], 'not found')
  })

  test('previews a change as the API does, and changes nothing', async () => {
    await using installation = await freshInstallation(store)
    const limits = '{"SERVICE_MAX_USERS":"1","OWN":""}'
    await installation.json('tenants', 'plan:create', '--id', 'small', '--env', '{"SERVICE_MAX_USERS":"2"}')
    await refused(installation, ['tenants', 'preview', '--id', 'cats', '--limits', limits], 'not found')
    const none = await installation.run('tenants', 'plan:preview', '--id', 'small', '--limits', limits)
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'The plan small has no tenants.\n'])
    const cats = ['--id', 'cats', '--hostname', 'cats.test', '--plan_id', 'small']
    await installation.json('tenants', 'create', ...cats)
    await installation.json('tenants', 'install', '--id', 'cats', ...ada)
    const before = await installation.json('tenants', 'get', '--id', 'cats')

    const preview = ['tenants', 'preview', '--id', 'cats', '--plan_id', 'null', '--limits', limits]
    const change = { from: '2', to: '1', level: 'tenant_limits', from_level: 'plan_env' }
    assert.deepEqual(await installation.json(...preview), {
      effective: {
        OWN: { from: null, to: '', level: 'tenant_limits', from_level: null },
        SERVICE_MAX_USERS: change,
      },
      exceeded: [],
      refused: ['SERVICE_MAX_USERS'],
      moves: false,
    })
    assert.equal(
      (await installation.run(...preview)).out,
      [
        'changes.OWN\tnot set → "" (tenant_limits)',
        'changes.SERVICE_MAX_USERS\t2 (plan_env) → 1 (tenant_limits)',
        'at limit.SERVICE_MAX_USERS\t1 used, limit 1',
        'data.moves\tno\n',
      ].join('\n'),
    )
    await refused(installation, ['tenants', 'preview', '--id', 'cats', '--plan_id', 'none'], 'no plan "none"')

    const ofPlan = ['tenants', 'plan:preview', '--id', 'small', '--env', 'null']
    const { data, next_cursor: next } = await installation.json(...ofPlan)
    assert.deepEqual([data.length, data[0].tenant, next], [1, 'cats', null])
    assert.deepEqual((await installation.run(...ofPlan)).out.split('\n').slice(0, 2), [
      ['TENANT', 'CHANGES', 'EXCEEDED', 'AT LIMIT', 'MOVES'].join('\t'),
      ['cats', 'SERVICE_MAX_USERS: 2 (plan_env) → 0 (default)', '-', '-', 'no'].join('\t'),
    ])
    for (const command of ['preview', 'plan:preview'])
      assert.equal((await installation.run('tenants', command, '--id', 'cats')).code, 2)
    assert.deepEqual(await installation.json('tenants', 'get', '--id', 'cats'), before)
  })

  test('keeps the data of a deleted tenant for a new one with that id, unless they are dropped', async () => {
    await using installation = await freshInstallation(store)
    const create = ['tenants', 'create', '--id', 'cats', '--hostname', 'cats.test']
    await installation.json(...create)
    await installation.json('tenants', 'install', '--id', 'cats', ...ada)
    await installation.json('tenants', 'delete', '--id', 'cats')
    assert.equal((await installation.json(...create)).stats.users, 1)
    await installation.json('tenants', 'delete', '--id', 'cats', '--drop-tables')
    assert.equal((await installation.json(...create)).stats.users, 0)
    await installation.json('tenants', 'install', '--id', 'cats', ...ada)
  })
})
