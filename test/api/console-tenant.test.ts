import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { type ConsoleClient, startConsole, type TestConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { uploaded } from '../support/uploads.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }

const secretIn = (page: string) => /id="secret" readonly[^>]* value="([^"]+)"/.exec(page)?.[1] ?? ''
const versionIn = (page: string) => /name="updated_at" value="([^"]+)"/.exec(page)?.[1] ?? ''
const read = async (app: TestConsole, id: string) => (await app.call('GET', `tenants/${id}`)).json
const locationOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers.location).replace('/_/console/', '')

/** What the form of a page would send. */
const editOf = async (client: ConsoleClient, id: string) => ({
  hostname: `${id}.localhost`,
  plan_id: '',
  updated_at: versionIn((await client.get(`tenants/${id}`)).text),
})

onEachStore('a tenant in the console', (store) => {
  test('and a plan have a page even if their id is that of a form', async () => {
    await using app = await startConsole({ store })
    const made = await app.console.post('plans', { id: 'new' })
    assert.equal(locationOf(made), 'plans/-/new?saved=1')
    const created = await app.console.post('tenants', { id: 'new', hostname: 'new.test', plan_id: 'new' })
    assert.equal(locationOf(created), 'tenants/-/new?saved=1')
    const page = (await app.console.get('tenants/-/new')).text
    assert.match(page, /<h1 dir="auto">new<\/h1>/)
    assert.match(page, /href="\/_\/console\/plans\/-\/new"/)
    assert.match((await app.console.get('tenants/new')).text, /<h1 dir="auto">New tenant<\/h1>/)
    assert.equal(locationOf(await app.console.get('find?q=new')), 'tenants/-/new')
    assert.match((await app.console.get('tenants')).text, /href="\/_\/console\/tenants\/-\/new"/)
    const edit = { hostname: 'newer.test', plan_id: 'new', updated_at: versionIn(page) }
    assert.equal(locationOf(await app.console.post('tenants/new', edit)), 'tenants/-/new?saved=1')

    const plan = (await app.console.get('plans/-/new')).text
    const [, address = ''] =
      /<form method="post" action="\/_\/console\/([^"]*)" class="stack value-form"/.exec(plan) ?? []
    const change = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '3' }
    const previewed = await app.console.post(address, change)
    assert.match(previewed.text, /1 tenant changes\./)
    const saved = { ...change, save: '1', updated_at: versionIn(plan) }
    assert.equal(locationOf(await app.console.post(address, saved)), 'plans/-/new?saved=1')
    assert.equal((await app.console.post('plans/new/delete')).status, 303)
    assert.equal((await app.console.get('plans/-/new')).status, 404)
  })

  test('is created alone, or installed with its administrator, whose key is shown once', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    const fields = { id: 'ants', hostname: 'ants.example.com', plan_id: 'small', is_enabled: '1' }
    const created = await app.console.post('tenants', { ...fields, username: '', email: '', password: '' })
    assert.deepEqual([created.status, locationOf(created)], [303, 'tenants/ants?saved=1'])
    const { id, hostname, plan_id, is_enabled } = await read(app, 'ants')
    assert.deepEqual([id, hostname, plan_id, is_enabled], ['ants', 'ants.example.com', 'small', true])

    const installed = await app.console.post('tenants', {
      id: 'bees',
      hostname: 'bees.example.com',
      ...account,
    })
    assert.deepEqual([installed.status, installed.headers['cache-control']], [200, 'no-store'])
    assert.equal((await read(app, 'bees')).is_enabled, false)
    assert.equal((await read(app, 'bees')).stats.users, 1)
    const key = secretIn(installed.text)
    await app.console.post('tenants/bees/enable')
    assert.equal(
      (await uploaded(app, { hostname: 'bees.example.com', apiKey: key } as never)).status_code ?? 200,
      200,
    )
    assert.ok(!(await app.console.get('tenants/bees')).text.includes(key))
  })

  test('is not created if one of its fields is refused, and the form keeps what was typed', async () => {
    await using app = await startConsole({ store })
    const { hostname } = await app.tenant('cats')
    const cases = [
      [{ id: 'CATS', hostname: 'x.example.com' }, 409, 'id'],
      [{ id: 'dogs', hostname }, 409, 'hostname'],
      [{ id: 'no dots', hostname: 'dogs.example.com' }, 400, 'id'],
      [{ id: 'dogs', hostname: 'not a host' }, 400, 'hostname'],
      [{ id: 'dogs', hostname: 'dogs.example.com', plan_id: 'gone' }, 409, 'plan_id'],
      [{ id: 'dogs', hostname: 'dogs.example.com', username: 'ada' }, 400, 'email'],
      [{ id: 'dogs', hostname: 'dogs.example.com', ...account, password: 'short' }, 400, 'password'],
    ] as const
    for (const [fields, status, field] of cases) {
      const refused = await app.console.post('tenants', fields)
      assert.equal(refused.status, status, JSON.stringify(fields))
      assert.match(refused.text, new RegExp(`id="${field}" name="${field}" aria-invalid="true"`))
      for (const [name, value] of Object.entries(fields))
        if (name !== 'password') assert.match(refused.text, new RegExp(`value="${value}"[^>]*[ >]`), name)
      assert.doesNotMatch(refused.text, /value="(short|a long password)"/)
    }
    assert.deepEqual(
      (await app.call('GET', 'tenants')).json.map(({ id }: { id: string }) => id),
      ['cats'],
    )
  })

  test('is edited, enabled and disabled', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    await app.tenant('cats')
    const edit = { ...(await editOf(app.console, 'cats')), hostname: 'Lions.example.com', plan_id: 'small' }
    const saved = await app.console.post('tenants/cats', edit)
    assert.deepEqual([saved.status, locationOf(saved)], [303, 'tenants/cats?saved=1'])
    const tenant = await read(app, 'cats')
    assert.deepEqual([tenant.hostname, tenant.plan_id], ['lions.example.com', 'small'])
    assert.equal((await app.console.post('tenants/cats/disable')).status, 303)
    assert.equal((await read(app, 'cats')).is_enabled, false)
    assert.equal((await app.console.post('tenants/cats/enable')).status, 303)
    assert.equal((await read(app, 'cats')).is_enabled, true)
    const refused = await app.console.post('tenants/cats', {
      ...(await editOf(app.console, 'cats')),
      hostname: '-',
    })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /name="hostname" aria-invalid="true"[^>]* value="-"/)
    for (const path of ['tenants/none', 'tenants/none/enable', 'tenants/none/install', 'tenants/none/delete'])
      assert.equal((await app.console.post(path, { confirm: 'none' })).status, 404, path)
    assert.equal((await app.console.get('tenants/none')).status, 404)
  })

  test('that another operator has changed shows what is in force and who changed it, and the next save counts', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const other = await app.operator('operator', 'linus')
    const mine = { ...(await editOf(app.console, 'cats')), hostname: 'mine.example.com' }
    const theirs = { ...(await editOf(other, 'cats')), hostname: 'theirs.example.com' }
    assert.equal((await other.post('tenants/cats', theirs)).status, 303)
    const conflict = await app.console.post('tenants/cats', mine)
    assert.equal(conflict.status, 409)
    expect(conflict.text).toMatch(/role="alert"[\s\S]*linus[\s\S]*theirs\.example\.com/)
    expect(conflict.text).toMatch(/name="hostname"[^>]* value="mine\.example\.com"/)
    assert.equal((await read(app, 'cats')).hostname, 'theirs.example.com')
    const again = { ...mine, updated_at: versionIn(conflict.text) }
    assert.equal((await app.console.post('tenants/cats', again)).status, 303)
    assert.equal((await read(app, 'cats')).hostname, 'mine.example.com')
    assert.equal((await app.console.post('tenants/cats', { ...mine, updated_at: 'soon' })).status, 400)
  })

  test('is installed later, once, and its users get a new password that is shown once', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants', { id: 'ants', hostname: 'ants.localhost', is_enabled: true })
    const refused = await app.console.post('tenants/ants/install', { ...account, email: 'nobody' })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /name="email" aria-invalid="true"/)
    const installed = await app.console.post('tenants/ants/install', account)
    assert.deepEqual([installed.status, installed.headers['cache-control']], [200, 'no-store'])
    assert.match(secretIn(installed.text), /^trc_/)
    assert.equal((await app.console.post('tenants/ants/install', account)).status, 409)
    const reset = await app.console.post('tenants/ants/users/ada/password')
    assert.deepEqual([reset.status, reset.headers['cache-control']], [200, 'no-store'])
    const password = secretIn(reset.text)
    assert.ok(password.length >= 12)
    assert.ok(!(await app.console.get('tenants/ants')).text.includes(password))
    assert.equal((await app.console.post('tenants/ants/users/nobody/password')).status, 404)
    assert.equal((await app.console.post('tenants/ants/users/%00/password')).status, 404)
  })

  test('is deleted by its id alone, with its tables only after a proof', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const wrong = await app.console.post('tenants/cats/delete', { confirm: 'Cats', drop_tables: '0' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /<h1[^>]*>Delete cats<\/h1>/)
    assert.match(wrong.text, /name="confirm" aria-invalid="true"/)
    app.wait(11 * 60)
    const unproven = await app.console.post('tenants/cats/delete', { confirm: 'cats', drop_tables: '1' })
    assert.deepEqual(
      [unproven.status, locationOf(unproven)],
      [303, 'prove?to=%2F_%2Fconsole%2Ftenants%2Fcats%2Fdelete'],
    )
    assert.equal((await read(app, 'cats')).id, 'cats')
    const kept = await app.console.post('tenants/cats/delete', { confirm: 'cats', drop_tables: '0' })
    assert.deepEqual([kept.status, locationOf(kept)], [303, 'tenants?deleted=cats'])
    assert.match((await app.console.get(locationOf(kept))).text, /Deleted cats\./)
    // Its users and files are there again.
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.localhost', is_enabled: true })
    assert.match((await app.console.get('tenants/cats')).text, /name="updated_at"[\s\S]*Reset password/)
  })

  test('many are changed at once, all or none', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    for (const id of ['ants', 'bees', 'cats'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.example.com`, is_enabled: true })
    const states = async () =>
      (await app.call('GET', 'tenants')).json.map(
        ({ id, is_enabled, plan_id }: Record<string, unknown>) => `${id} ${is_enabled} ${plan_id}`,
      )
    const some = await app.console.post('tenants/bulk', {
      action: 'disable',
      id: ['ants', 'cats', 'ants'],
      state: 'enabled',
    })
    assert.deepEqual([some.status, locationOf(some)], [303, 'tenants?state=enabled&changed=2'])
    assert.match((await app.console.get(locationOf(some))).text, /Changed 2 tenants\./)
    assert.deepEqual(await states(), ['ants false null', 'bees true null', 'cats false null'])
    const all = await app.console.post('tenants/bulk', {
      action: 'plan',
      plan_id: 'small',
      all: '1',
      state: 'disabled',
    })
    assert.equal(locationOf(all), 'tenants?state=disabled&changed=2')
    assert.deepEqual(await states(), ['ants false small', 'bees true null', 'cats false small'])
    const taken = await app.console.post('tenants/bulk', { action: 'plan', plan_id: '', id: 'ants' })
    assert.equal(taken.status, 303)

    const refused = [
      [{ action: 'enable', id: ['ants', 'gone'] }, 404],
      [{ action: 'plan', plan_id: 'gone', id: ['ants'] }, 409],
      [{ action: 'enable' }, 400],
      [{ action: 'enable', all: '1', q: 'nothing' }, 400],
      [{ action: 'delete', id: ['ants'] }, 400],
      [{ action: 'enable', all: '1', state: 'gone' }, 400],
    ] as const
    for (const [fields, status] of refused)
      assert.equal((await app.console.post('tenants/bulk', fields)).status, status, JSON.stringify(fields))
    assert.deepEqual(await states(), ['ants false null', 'bees true null', 'cats false small'])

    await app.call('POST', 'tenants', { id: 'bulk', hostname: 'bulk.example.com', is_enabled: true })
    assert.match((await app.console.get('tenants/bulk')).text, /<h1 dir="auto">bulk</)
    const edited = await app.console.post('tenants/bulk', { hostname: 'b.example.com', plan_id: 'small' })
    assert.equal(locationOf(edited), 'tenants/bulk?saved=1')
    assert.equal((await app.call('GET', 'tenants/bulk')).json.hostname, 'b.example.com')
  })
})

test('a viewer sees a tenant without any form that changes it, and is refused each change', async () => {
  await using app = await startConsole()
  await app.tenant('cats')
  const viewer = await app.operator('viewer')
  const { text, status } = await viewer.get('tenants/cats')
  assert.equal(status, 200)
  const actions = [...text.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, path]) => path)
  assert.deepEqual([...new Set(actions)].sort(), ['/_/console/logout', '/_/preferences'])
  for (const path of ['', '/bulk', '/cats', '/cats/enable', '/cats/disable', '/cats/install', '/cats/delete'])
    assert.equal((await viewer.post(`tenants${path}`, { confirm: 'cats' })).status, 403, path)
  assert.equal((await viewer.post('tenants/cats/users/ada/password')).status, 403)
  assert.equal((await viewer.get('tenants/new')).status, 403)
  assert.equal((await viewer.get('tenants/cats/delete')).status, 403)
})
