import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'vitest'
import { createKey } from '../../src/control/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'

const read = async (app: TestApp, query = '') => {
  const { status, json } = await app.call('GET', `audit${query}`)
  assert.equal(status, 200, JSON.stringify(json))
  return json as { data: any[]; next_cursor: string | null }
}

const said = ({ data }: { data: readonly any[] }) => data.map(({ verb, target }) => `${verb} ${target}`)

async function makeChanges(app: TestApp): Promise<void> {
  await app.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_FILES: '10' } })
  await app.tenant('cats')
  await app.call('PATCH', 'tenants/cats', { plan_id: 'small', env: { FTP_PASSWORD: 'canary' } })
  await app.call('PATCH', 'tenants/cats/user-password-reset', { username: 'ADA' })
  await app.call('PATCH', 'tenants-plans/small', { limits: { SERVICE_MAX_FILES: '20' } })
  await app.call('DELETE', 'tenants/cats', { drop_tables: true })
  await app.call('DELETE', 'tenants-plans/small')
}

const changes = [
  'plan.deleted small',
  'tenant.deleted cats',
  'plan.updated small',
  'user.password_reset ada',
  'tenant.updated cats',
  'tenant.installed cats',
  'tenant.created cats',
  'plan.created small',
]

onEachStore('the audit log in the management API', (store) => {
  test('has every change by the API, newest first, with the key, its address and the id of the request', async () => {
    await using app = await startTestApp({ store })
    await makeChanges(app)
    const log = await read(app)
    assert.deepEqual(said(log).slice(0, 8), changes)
    const row = log.data[4]
    const keyId = app.key.split('_')[1]
    assert.deepEqual(row.actor, { kind: 'key', id: keyId, name: null })
    assert.equal(row.address, '127.0.0.1')
    assert.deepEqual(row.before, { plan_id: null, env: [] })
    assert.deepEqual(row.after, { plan_id: 'small', env: ['FTP_PASSWORD'] })
    assert.equal(JSON.stringify(log).includes('canary'), false)
    await app.call('POST', 'tenants-plans', { id: 'big' }, { 'user-agent': 'me/1' })
    const [last, before] = (await read(app, '?limit=2')).data
    assert.deepEqual([last.verb, last.user_agent], ['plan.created', 'me/1'])
    assert.match(last.request_id, /^\w{12,}$/)
    assert.notEqual(last.request_id, before.request_id)
  })

  test('has a row of each tenant that loses its plan with it', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    for (const id of ['b', 'a', 'c'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })
    for (const id of ['a', 'b']) await app.call('PATCH', `tenants/${id}`, { plan_id: 'small' })
    assert.equal((await app.call('DELETE', 'tenants-plans/small')).status, 204)
    const log = await read(app, '?limit=3')
    assert.deepEqual(said(log), ['tenant.updated b', 'tenant.updated a', 'plan.deleted small'])
    const [{ before, after, actor }] = log.data
    assert.deepEqual([before, after, actor.kind], [{ plan_id: 'small' }, { plan_id: null }, 'key'])
  })

  test('has no row of a refused request, and one of a request that is repeated with its Idempotency-Key', async () => {
    await using app = await startTestApp({ store })
    await makeChanges(app)
    const [{ sequence }] = (await read(app, '?limit=1')).data
    for (const [method, path, body] of [
      ['POST', 'tenants', { id: 'a b', hostname: 'x.test' }],
      ['PATCH', 'tenants/cats', { is_enabled: false }],
      ['POST', 'tenants', { id: 'new', hostname: 'new.test', plan_id: 'none' }],
      ['DELETE', 'tenants-plans/small', undefined],
      ['POST', 'tenants/cats/install', { username: 'ada', email: 'ada@example.com', password: 'x' }],
      ['PATCH', 'tenants/cats/user-password-reset', { username: 'ada' }],
    ] as const)
      assert.ok((await app.call(method, path, body)).status >= 400, path)
    const body = { id: 'dogs', hostname: 'dogs.test', is_enabled: true }
    for (const _ of [1, 2])
      assert.equal((await app.call('POST', 'tenants', body, { 'idempotency-key': 'once' })).status, 201)
    const [last, earlier] = (await read(app, '?limit=2')).data
    assert.deepEqual([last.verb, last.sequence], ['tenant.created', sequence + 1])
    assert.equal(earlier.sequence, sequence)
  })

  test('is filtered, and read page by page', async () => {
    await using app = await startTestApp({ store })
    const { key } = await createKey(app.app.control, { name: 'Billing' })
    await makeChanges(app)
    const mine = { 'x-api-key': key }
    await app.call('POST', 'tenants-plans', { id: 'big' }, mine)
    assert.deepEqual(said(await read(app, '?actor=billing')), ['plan.created big'])
    assert.deepEqual(said(await read(app, `?actor=${key.split('_')[1]}`)), ['plan.created big'])
    assert.deepEqual(said(await read(app, '?actor=job&verb=key.created')).length, 2)
    assert.deepEqual(
      said(await read(app, '?target=small')),
      changes.filter((text) => text.endsWith('small')),
    )
    assert.deepEqual(said(await read(app, '?verb=plan.created')), ['plan.created big', 'plan.created small'])
    const [{ created_at: at }] = (await read(app, '?verb=tenant.installed')).data
    assert.equal(said(await read(app, `?created_after=${at}`)).includes('tenant.installed cats'), false)
    assert.equal(said(await read(app, `?created_before=${at}`)).includes('tenant.created cats'), true)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(app, `?limit=3${cursor && `&cursor=${cursor}`}`)
      found.push(...said(page))
      cursor = page.next_cursor
    }
    assert.deepEqual(found, said(await read(app, '?limit=200')))
    for (const query of ['?limit=201', '?verb=none', '?actor=', '?created_after=now', '?other=1'])
      assert.equal((await app.call('GET', `audit${query}`)).status, 400, query)
    assert.equal((await app.send('GET', '/_/api/4/audit')).status, 401)
  })

  test('is exported as NDJSON, whose chain can be checked, and as CSV', async () => {
    await using app = await startTestApp({ store })
    await makeChanges(app)
    const { headers, text } = await app.call('GET', 'audit/export')
    assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(rows, (await read(app, '?limit=200')).data)
    const stored = await app.app.control.store.control.selectFrom('controlAudit').selectAll().execute()
    const last = stored.find(({ sequence }) => sequence === rows[0].sequence)
    const fields = [
      rows[1].hash,
      rows[0].sequence,
      rows[0].created_at,
      rows[0].verb,
      rows[0].actor.kind,
      rows[0].actor.id,
      rows[0].actor.name,
      rows[0].address,
      rows[0].user_agent,
      rows[0].request_id,
      rows[0].target,
      last?.before,
      last?.after,
    ]
    assert.equal(createHash('sha256').update(JSON.stringify(fields)).digest('hex'), rows[0].hash)
    const csv = await app.call('GET', 'audit/export?format=csv&verb=plan.updated')
    const [head, line] = csv.text.split('\r\n')
    assert.match(head ?? '', /^sequence,created_at,verb,actor,actor_id,actor_name,address,user_agent,/)
    assert.match(line ?? '', /,plan\.updated,key,.*"\{""limits"":\{""SERVICE_MAX_FILES"":""20""\}\}"/)
  })
})
