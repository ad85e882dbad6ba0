import assert from 'node:assert/strict'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'vitest'
import { writeTenant } from '../../src/api/tenants-v4/wire.ts'
import { backUp } from '../../src/maintenance/index.ts'
import { listTenants } from '../../src/tenants/index.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { runsOf } from '../support/tiers.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'

/** Made anew from the rows, as a server does that has just started. */
async function listAnew(app: TestApp): Promise<unknown[]> {
  const tenants: unknown[] = []
  for await (const page of listTenants(app.app.control)) tenants.push(...page.map(writeTenant))
  return JSON.parse(JSON.stringify(tenants))
}

const keptList = async (app: TestApp) => (await app.call('GET', 'tenants')).json

async function keptHosts(app: TestApp): Promise<string[]> {
  const { json } = await app.send('GET', '/_/api/4/config/proxy', { headers: { 'x-api-key': app.key } })
  const { '*': _, ...routers } = json.http.routers as Record<string, { rule: string }>
  return Object.entries(routers).map(([id, { rule }]) => `${id} ${rule}`)
}

const hostsOf = (tenants: unknown[]) =>
  (tenants as { id: string; hostname: string }[]).map(({ id, hostname }) => `${id} Host(\`${hostname}\`)`)

interface Step {
  kind: 'create' | 'edit' | 'delete' | 'drop' | 'plan' | 'planless' | 'stats' | 'read'
  /** Which tenant, and on which server. */
  tenant: number
  server: number
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>(
      'create',
      'create',
      'edit',
      'delete',
      'drop',
      'plan',
      'planless',
      'stats',
      'read',
    ),
    tenant: fc.nat(9),
    server: fc.nat(1),
  }),
  { minLength: 1, maxLength: 30 },
)

let edits = 0

async function take(app: TestApp, { kind, tenant }: Step): Promise<void> {
  const id = `t${tenant}`
  edits += 1
  if (kind === 'create') {
    await app.call('POST', 'tenants', { id, hostname: `${id}-${edits}.test`, is_enabled: true })
  }
  if (kind === 'edit') await app.call('PATCH', `tenants/${id}`, { hostname: `${id}-${edits}.test` })
  if (kind === 'delete') await app.call('DELETE', `tenants/${id}`, {})
  if (kind === 'drop') await app.call('DELETE', `tenants/${id}`, { drop_tables: true })
  if (kind === 'plan') {
    await app.call('POST', 'tenants-plans', { id: 'small' })
    await app.call('PATCH', `tenants/${id}`, { plan_id: 'small' })
  }
  if (kind === 'planless') await app.call('DELETE', 'tenants-plans/small')
  if (kind === 'stats') await writeStats(app, id)
  if (kind === 'read') await Promise.all([keptList(app), keptHosts(app)])
}

/** What an upload does to the control rows. */
async function writeStats(app: TestApp, id: string): Promise<void> {
  const { store } = app.app.control
  for await (const page of listTenants(app.app.control)) {
    const tenant = page.find((one) => one.id === id)
    if (!tenant) continue
    const stats = JSON.stringify({ ...tenant.stats, files: edits })
    await store.writeSiteStats({
      site: tenant.site,
      stats,
      admins: '',
      version: edits,
      dueAt: null,
      days: [],
    })
  }
}

onBothStores('the kept lists', (kind) => {
  test('equal lists made anew, after any changes on two servers', async () => {
    await using here = await startTestApp({ store: kind })
    await using beside = kind === 'postgres' ? await startTestApp({ beside: here }) : undefined
    const servers = [here, beside ?? here] as const
    const hasAll = async (app: TestApp) => {
      const anew = await listAnew(app)
      return isEqual(await keptList(app), anew) && isEqual(await keptHosts(app), hostsOf(anew))
    }
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        for (const step of taken) await take(servers[step.server] ?? here, step)
        for (const app of servers) await until(() => hasAll(app), 'the lists are those of the rows')
      }),
      { numRuns: runsOf(50) },
    )
  })

  test('show an upload and a first administrator at once', async () => {
    await using app = await startTestApp({ store: kind })
    const cats = await app.tenant('cats')
    assert.equal((await keptList(app))[0].stats.files, 0)
    await uploaded(app, cats)
    const [tenant] = await keptList(app)
    assert.deepEqual([tenant.stats.files, tenant.stats.admins], [1, 1])
  })

  test('are not held back by a transaction that stays open', async () => {
    await using app = await startTestApp({ store: kind })
    await app.call('POST', 'tenants', { id: 'a', hostname: 'a.test', is_enabled: true })
    await keptList(app)
    if (kind === 'postgres') {
      const { control } = app.app.control.store
      await control.transaction().execute(async (open) => {
        // Takes a number, so that no later window begins behind it.
        await open.updateTable('plan').set({ env: null }).where('id', '=', 'none').execute()
        await open.insertInto('nonce').values({ nonce: 'n', expiresAt: '2000' }).execute()
        await app.call('PATCH', 'tenants/a', { hostname: 'b.test' })
        for (let times = 0; times < 2; times += 1) assert.equal((await keptList(app))[0].hostname, 'b.test')
      })
    }
    await app.call('DELETE', 'tenants/a', {})
    assert.deepEqual(await keptList(app), [])
  })

  test('are those of a restored installation, and follow its changes', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store: kind })
    for (const id of ['a', 'b', 'c'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })
    await app.call('DELETE', 'tenants/b', {})
    const backup = join(folder.path, 'first')
    await backUp(app.app, { to: backup, withKeys: true })
    await using installation = await freshInstallation(kind)
    await installation.json('restore', '--from', backup)

    await using restored = await serveAt(installation)
    assert.deepEqual(await keptHosts(restored), await keptHosts(app))
    assert.deepEqual(hostsOf(await keptList(restored)), hostsOf(await keptList(app)))
    await restored.call('PATCH', 'tenants/a', { hostname: 'other.test' })
    await restored.call('DELETE', 'tenants/c', {})
    await restored.call('POST', 'tenants', { id: 'b', hostname: 'b.test', is_enabled: true })
    const anew = await listAnew(restored)
    assert.deepEqual(hostsOf(anew), ['a Host(`other.test`)', 'b Host(`b.test`)'])
    assert.deepEqual(await keptList(restored), anew)
    assert.deepEqual(await keptHosts(restored), hostsOf(anew))
  })

  test('come in pages to those who ask for them', async () => {
    await using app = await startTestApp({ store: kind })
    for (const id of ['b', 'a', 'C', 'd_1', 'd-1']) {
      await app.call('POST', 'tenants', {
        id,
        hostname: `${id.toLowerCase().replace('_', 'u')}.test`,
        is_enabled: true,
      })
    }
    const whole = await keptList(app)
    const pages = []
    for (let after = ''; ; ) {
      const { json } = await app.call('GET', `tenants?limit=2&after=${after}`)
      pages.push(...json)
      if (json.length < 2) break
      after = json[1].id
    }
    assert.deepEqual(pages, whole)
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'limit=1&limit=2',
      'after=a',
      'limit=1&after=%00',
    ]) {
      const { status, json } = await app.call('GET', `tenants?${query}`)
      assert.equal(status, 400, query)
      assert.match(json.error.list[0], /^(limit|after): must be/, query)
    }
  })
})

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
