import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startConsole, type TestConsole } from '../support/console.ts'
import { type Answer, onBothStores, onEachStore, startTestApp } from '../support/harness.ts'
import { cellsOfTable } from '../support/tables.ts'

const path = 'tenants/cats/values'

/** The tenant cats with a plan, and values on every level. */
async function startValues(
  options: Parameters<typeof startConsole>[0] = {},
  env: Record<string, string> = {},
) {
  const app = await startConsole({
    ...options,
    environment: {
      SERVICE_MAX_FILES: '90',
      SERVICE_TENANT_ENFORCED: '{"SERVICE_MAX_TAGS":"7"}',
      ...options.environment,
    },
  })
  await app.call('POST', 'tenants-plans', {
    id: 'small',
    limits: { SERVICE_MAX_ALBUMS: '5', SERVICE_MAX_TAGS: '2' },
    env: { PLAN_TOKEN: 'plan-secret', ...env },
  })
  await app.call('POST', 'tenants', {
    id: 'cats',
    hostname: 'cats.test',
    is_enabled: true,
    plan_id: 'small',
    limits: { SERVICE_MAX_ALBUMS: '9' },
  })
  return app
}

const valuesOf = async (app: TestConsole, query = '') =>
  cellsOfTable((await app.console.get(path + query)).text)

const versionIn = ({ text }: Answer) => /name="updated_at" value="([^"]+)"/.exec(text)?.[1] ?? ''

const audited = async (app: TestConsole) => {
  const rows = await app.app.control.store.control
    .selectFrom('controlAudit')
    .selectAll()
    .orderBy('sequence')
    .execute()
  return rows.filter(({ verb }) => !verb.startsWith('session.') && !verb.startsWith('operator.'))
}

onEachStore('values of a tenant in the console', (store) => {
  test('stand in one row each, with every level and the one that is in force', async () => {
    await using app = await startValues({ store })
    const rows = await valuesOf(app)
    assert.deepEqual(rows.columns, [
      'Name',
      'In force',
      'From',
      'Default',
      'Process',
      'Plan limits',
      'Plan env',
      'Tenant limits',
      'Tenant env',
      'Enforced',
    ])
    const of = (name: string) => rows.byHeader.get(name)
    assert.deepEqual(of('SERVICE_MAX_ALBUMS'), ['9', 'Tenant limits', '0', '', '5', '', '9', '', ''])
    assert.deepEqual(of('SERVICE_MAX_FILES'), ['90', 'Process', '0', '90', '', '', '', '', ''])
    assert.deepEqual(of('SERVICE_MAX_TAGS'), ['7', 'Enforced', '0', '', '2', '', '', '', '7'])
    assert.deepEqual(of('PLAN_TOKEN'), ['••••', 'Plan env', '', '', '', '••••', '', '', ''])
    assert.deepEqual(of('SERVICE_DATABASE_URL'), ['', '', '', '', '', '', '', '', ''])

    // What the API says is in force is what the page says.
    const { json } = await app.call('GET', 'tenants/cats/effective')
    for (const [name, { value, level }] of Object.entries<{ value: string; level: string }>({
      ...json.limits,
      ...json.env,
    })) {
      const [inForce, from] = of(name) ?? []
      assert.equal(inForce, level.endsWith('env') ? '••••' : value || 'Empty', name)
      assert.equal(from?.toLowerCase(), level.replace('_', ' '), name)
    }
    assert.deepEqual([...rows.byHeader.keys()].slice(0, 4), [
      'PLAN_TOKEN',
      'SERVICE_MAX_ALBUMS',
      'SERVICE_MAX_FILES',
      'SERVICE_MAX_TAGS',
    ])
    assert.equal((await app.console.get('tenants/dogs/values')).status, 404)
  })

  test('are filtered by kind and by a part of name or description', async () => {
    await using app = await startValues({ store })
    const names = async (query: string) => [...(await valuesOf(app, query)).byHeader.keys()]
    assert.deepEqual(await names('?show=set'), [
      'PLAN_TOKEN',
      'SERVICE_MAX_ALBUMS',
      'SERVICE_MAX_FILES',
      'SERVICE_MAX_TAGS',
    ])
    assert.deepEqual(await names('?q=traffic'), ['SERVICE_MAX_TRAFFIC'])
    assert.deepEqual(await names('?q=public+key'), ['SERVICE_ENABLE_API_GUEST'])
    assert.ok((await names('?show=switches')).every((name) => name.startsWith('SERVICE_')))
    const parts = await Promise.all(['limits', 'switches', 'others'].map((show) => names(`?show=${show}`)))
    assert.deepEqual(parts.flat().sort(), (await names('')).sort())
    assert.match((await app.console.get(`${path}?q=zzz`)).text, /No values match/)
  })

  test('are set and removed on the level of the tenant, as the API then says', async () => {
    await using app = await startValues({ store })
    const ownOf = async () => {
      const { limits, env } = (await app.call('GET', 'tenants/cats')).json
      return { limits, env }
    }
    const set = async (fields: Record<string, string>) => {
      const answer = await app.console.post(path, fields)
      assert.deepEqual(
        [answer.status, answer.headers.location],
        [303, `/_/console/${path}?saved=1`],
        answer.text,
      )
    }
    await set({ name: 'SERVICE_MAX_FILES', in: 'limits', value: '5' })
    await set({ name: 'OWN_TOKEN', in: 'env', value: ' a b ' })
    assert.deepEqual(await ownOf(), {
      limits: { SERVICE_MAX_ALBUMS: '9', SERVICE_MAX_FILES: '5' },
      env: { OWN_TOKEN: ' a b ' },
    })
    await set({ name: 'SERVICE_MAX_ALBUMS', in: 'env', value: '1' })
    await set({ remove: 'SERVICE_MAX_ALBUMS', in: 'limits' })
    assert.deepEqual(await ownOf(), {
      limits: { SERVICE_MAX_FILES: '5' },
      env: { OWN_TOKEN: ' a b ', SERVICE_MAX_ALBUMS: '1' },
    })
    await set({ remove: 'SERVICE_MAX_ALBUMS' })
    await set({ remove: 'OWN_TOKEN' })
    await set({ remove: 'SERVICE_MAX_FILES' })
    assert.deepEqual(await ownOf(), { limits: {}, env: {} })
    const answer = await app.console.post(`${path}?show=set`, { name: 'OWN', in: 'limits', value: '1' })
    assert.equal(answer.headers.location, `/_/console/${path}?show=set&saved=1`)
  })

  test('under an old name are replaced and removed under the one of today', async () => {
    await using app = await startValues({ store })
    const set = { limits: { SERVICE_UPLOAD_EARLIEST_FIELDS: '1' } }
    assert.equal((await app.call('PATCH', 'tenants/cats', set)).status, 204)
    const row = (await valuesOf(app)).byHeader.get('SERVICE_UPLOAD_LEGACY_FIELDS')
    assert.deepEqual(row, ['1', 'Tenant limits', '0', '', '', '', '1', '', ''])
    await app.console.post(path, { remove: 'SERVICE_UPLOAD_LEGACY_FIELDS', in: 'limits' })
    assert.deepEqual((await app.call('GET', 'tenants/cats')).json.limits, {})
  })

  test('are refused as the API refuses them, and the form keeps what was typed', async () => {
    await using app = await startValues({ store })
    for (const [fields, field] of [
      [{ name: 'SERVICE_MAX_FILES', in: 'limits', value: 'many' }, 'value'],
      [{ name: 'SERVICE_MAX_STORAGE', in: 'env', value: '5 GB' }, 'value'],
      [{ name: 'lower', in: 'limits', value: '1' }, 'name'],
      [{ name: '', in: 'limits', value: '1' }, 'name'],
      [{ name: '__proto__', in: 'limits', value: '1' }, 'name'],
      [{ name: 'SERVICE_DATABASE_URL', in: 'limits', value: 'sqlite:' }, 'in'],
      [{ name: 'SERVICE_DATABASE_URL', in: 'env', value: 'mysql://x' }, 'value'],
      [{ name: 'OWN', in: 'env', value: 'x'.repeat(4_001) }, 'value'],
    ] as const) {
      const api = await app.call('PATCH', 'tenants/cats', { [fields.in]: { [fields.name]: fields.value } })
      const { status, text } = await app.console.post(path, fields)
      assert.deepEqual([status, api.status], [400, 400], JSON.stringify(fields))
      const faulty = new RegExp(
        `<(?:input|select)[^>]* id="${field}" [^>]*aria-invalid="true"[^>]* autofocus`,
      )
      assert.match(text, faulty, JSON.stringify(fields))
      assert.match(text, new RegExp(`id="${field}-fault" role="alert"`))
      if (fields.value !== '') assert.ok(text.includes(`value="${fields.value}"`), JSON.stringify(fields))
    }
    assert.deepEqual((await app.call('GET', 'tenants/cats')).json.limits, { SERVICE_MAX_ALBUMS: '9' })
    assert.equal(
      (await app.console.post('tenants/dogs/values', { name: 'A', in: 'env', value: '1' })).status,
      404,
    )
  })

  test('of two operators: the second is shown the first’s change, and what was typed; Save then counts', async () => {
    await using app = await startValues({ store })
    const second = await app.operator('operator', 'mara')
    const seen = versionIn(await second.get(path))
    const first = await app.console.post(path, {
      name: 'SERVICE_MAX_FILES',
      in: 'limits',
      value: '11',
      updated_at: seen,
    })
    assert.equal(first.status, 303)

    const late = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '22' }
    const refused = await second.post(path, { ...late, updated_at: seen })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /grace changed this/)
    assert.match(refused.text, /Current value<\/dt><dd><[^>]*>11</)
    assert.match(refused.text, /id="value"[^>]* value="22"/)
    assert.equal((await app.call('GET', 'tenants/cats')).json.limits.SERVICE_MAX_FILES, '11')
    const removal = await second.post(path, { remove: 'SERVICE_MAX_FILES', in: 'limits', updated_at: seen })
    assert.equal(removal.status, 409)

    const unread = await second.post(path, { ...late, updated_at: 'yesterday' })
    assert.equal(unread.status, 400, 'a version that is none does not count as no version')
    assert.equal((await app.call('GET', 'tenants/cats')).json.limits.SERVICE_MAX_FILES, '11')

    const again = await second.post(path, { ...late, updated_at: versionIn(refused) })
    assert.equal(again.status, 303)
    assert.equal((await app.call('GET', 'tenants/cats')).json.limits.SERVICE_MAX_FILES, '22')
  })

  test('of viewers: seen with dots, and changed or revealed by none', async () => {
    await using app = await startValues({ store })
    const viewer = await app.operator('viewer')
    const page = await viewer.get(path)
    assert.equal(page.status, 200)
    assert.ok(!page.text.includes('name="value"') && !page.text.includes('name="remove"'))
    assert.ok(!page.text.includes('plan-secret') && !page.text.includes('/values/reveal'))
    for (const [to, fields] of [
      [path, { name: 'A', in: 'env', value: '1' }],
      [`${path}/reveal`, {}],
    ] as const)
      assert.equal((await viewer.post(to, fields)).status, 403)
  })
})

onBothStores('env in the console', (store) => {
  test('is dots everywhere until Reveal, which needs a proof and is recorded without the values', async () => {
    const canary = (name: string) => `canary-${name}-${randomBytes(8).toString('hex')}`
    const secrets = { plan: canary('plan'), tenant: canary('tenant'), typed: canary('typed') }
    await using app = await startValues({ store }, { OTHER: secrets.plan })
    await app.console.post(path, { name: 'OWN', in: 'env', value: secrets.tenant })
    const pages = [
      path,
      `${path}?name=OWN&in=env`,
      `${path}?show=set`,
      'tenants',
      'plans',
      'plans/small',
      '',
      'audit',
    ]
    for (const each of pages) {
      const { text } = await app.console.get(each)
      for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), each)
    }

    const shown = await app.console.post(`${path}/reveal`)
    assert.deepEqual([shown.status, shown.headers['cache-control']], [200, 'no-store'])
    const rows = cellsOfTable(shown.text).byHeader
    assert.deepEqual(rows.get('OWN'), [secrets.tenant, 'Tenant env', '', '', '', '', '', secrets.tenant, ''])
    assert.equal(rows.get('OTHER')?.[0], secrets.plan)
    assert.ok(!(await app.console.get(path)).text.includes(secrets.tenant), 'hidden again')

    // The form is shown again with the secret that was typed: to who typed it, and to no log.
    const refused = await app.console.post(path, { name: 'own', in: 'env', value: secrets.typed })
    assert.deepEqual([refused.status, refused.headers['cache-control']], [400, 'no-store'])

    const rowsOfLog = await audited(app)
    const reveal = rowsOfLog.find(({ verb }) => verb === 'env.revealed')
    assert.deepEqual([reveal?.target, reveal?.actorName], ['cats', 'grace'])
    assert.deepEqual(JSON.parse(String(reveal?.after)), { env: ['OTHER', 'OWN', 'PLAN_TOKEN'] })
    for (const secret of Object.values(secrets)) assert.ok(!JSON.stringify(rowsOfLog).includes(secret))

    app.wait(11 * 60)
    const unproven = await app.console.post(`${path}/reveal`)
    const prove = `/_/console/prove?to=${encodeURIComponent(`/_/console/${path}`)}`
    assert.deepEqual([unproven.status, unproven.headers.location], [303, prove])
    const count = (await audited(app)).filter(({ verb }) => verb === 'env.revealed').length
    assert.equal(count, 1)
    assert.equal((await app.console.post('tenants/dogs/values/reveal')).status, 303)
  })

  test('two servers: what one operator saves is what the other’s form is refused by', async () => {
    await using app = await startValues({ store })
    await using other = await startTestApp({ beside: app })
    const seen = versionIn(await app.console.get(path))
    const { call } = other
    expect((await call('PATCH', 'tenants/cats', { limits: { SERVICE_MAX_FILES: '3' } })).status).toBe(204)
    const late = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '4', updated_at: seen }
    expect((await app.console.post(path, late)).status).toBe(409)
  })
})
