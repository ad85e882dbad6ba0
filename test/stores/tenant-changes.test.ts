import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { actingAs, lastChangeOf, listControlAudit } from '../../src/control/index.ts'
import {
  createInstalledTenant,
  createPlan,
  createTenant,
  deleteTenant,
  dropAbandonedImports,
  editPlan,
  editTenant,
  editTenants,
  installedSites,
  readPlan,
  readTenantWithStats,
} from '../../src/tenants/index.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
const cats = { id: 'cats', hostname: 'cats.test', isEnabled: true }

const newest = async ({ app: { control } }: TestApp, limit: number) =>
  (await listControlAudit(control, {}, { limit })).map(({ verb, target }) => `${verb} ${target}`)

onBothStores('changes of tenants and plans', (store) => {
  test('have a version that rises even if the clock stands still or goes back', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    await createTenant(control, cats)
    await createPlan(control, { id: 'small' })
    const versions: number[] = []
    for (const seconds of [0, -60, 0]) {
      app.wait(seconds)
      await editTenant(control, 'cats', { limits: { SERVICE_MAX_FILES: versions.length } })
      await editPlan(control, 'small', { limits: { SERVICE_MAX_FILES: versions.length } })
      const [tenant, plan] = [await readTenantWithStats(control, 'cats'), await readPlan(control, 'small')]
      versions.push(tenant.updatedAt.getTime())
      assert.ok(plan.updatedAt.getTime() > plan.createdAt.getTime())
    }
    assert.deepEqual(
      versions,
      [...new Set(versions)].sort((one, other) => one - other),
    )
  })

  test('are refused if they were made of an earlier version, and say who has made the later one', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    const { updatedAt } = await createTenant(control, cats)
    const plan = await createPlan(control, { id: 'cats' })
    const ada = actingAs(control, { kind: 'operator', id: 'o1', name: 'ada' })
    const bob = actingAs(control, { kind: 'operator', id: 'o2', name: 'bob' })
    await editTenant(ada, 'cats', { hostname: 'dogs.test' }, { ifUpdatedAt: updatedAt })
    await editPlan(bob, 'cats', { limits: { SERVICE_MAX_FILES: 1 } }, { ifUpdatedAt: plan.updatedAt })
    await expect(
      editTenant(bob, 'cats', { hostname: 'birds.test' }, { ifUpdatedAt: updatedAt }),
    ).rejects.toMatchObject({ code: 'tenant-changed', kind: 'conflict' })
    await expect(
      editPlan(ada, 'cats', { limits: {} }, { ifUpdatedAt: plan.updatedAt }),
    ).rejects.toMatchObject({ code: 'plan-changed', kind: 'conflict' })
    assert.equal((await readTenantWithStats(control, 'cats')).hostname, 'dogs.test')
    const last = await lastChangeOf(control, { verb: 'tenant.updated', target: 'cats' })
    assert.equal(last?.actorName, 'ada')
    assert.equal((await lastChangeOf(control, { target: 'cats' }))?.actorName, 'bob')
  })

  test('of many tenants are made for all or none, with a row for each that is different now', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    const ids = ['a', 'b', 'c']
    for (const id of ids) await createTenant(control, { id, hostname: `${id}.test`, isEnabled: id !== 'b' })
    await createPlan(control, { id: 'small' })
    const before = await readTenantWithStats(control, 'a')
    await expect(editTenants(control, [...ids, 'd'], { isEnabled: false })).rejects.toMatchObject({
      code: 'tenant-not-found',
    })
    await expect(editTenants(control, ids, { planId: 'large' })).rejects.toMatchObject({
      code: 'unknown-plan',
    })
    assert.deepEqual(await newest(app, 1), ['plan.created small'], 'a refused change has no row')
    assert.equal(await editTenants(control, [...ids, 'a'], { isEnabled: false }), 2)
    assert.deepEqual(await newest(app, 2), ['tenant.updated c', 'tenant.updated a'])
    assert.equal(await editTenants(control, ids, { planId: 'small' }), 3)
    const after = await readTenantWithStats(control, 'a')
    assert.deepEqual([after.isEnabled, after.planId], [false, 'small'])
    assert.ok(after.updatedAt.getTime() >= before.updatedAt.getTime() + 2)
  })

  test('make a tenant and install it in one step, or leave nothing', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    await expect(createInstalledTenant(control, cats, { ...account, password: '' })).rejects.toMatchObject({
      kind: 'invalid',
    })
    await createTenant(control, { ...cats, id: 'other' })
    await expect(createInstalledTenant(control, cats, account)).rejects.toMatchObject({
      code: 'hostname-taken',
    })
    await deleteTenant(control, 'other', { dropTables: true })
    const { tenant, apiKey } = await createInstalledTenant(control, cats, account)
    assert.equal(tenant.isInstalled, true)
    assert.deepEqual(await newest(app, 2), ['tenant.installed cats', 'tenant.created cats'])
    assert.match(apiKey, /^trc_/)
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 200)
    await assert.rejects(createInstalledTenant(control, { ...cats, hostname: 'x.test' }, account), {
      code: 'tenant-exists',
    })
    assert.equal((await installedSites(control.store.control)).length, 1)
    app.wait(8 * 86_400)
    assert.equal(await dropAbandonedImports(control), 0, 'no refused creation has left a site')
  })

  test('of two creations at a time let one win', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    const done = await Promise.allSettled([
      createInstalledTenant(control, cats, account),
      createInstalledTenant(control, { ...cats, hostname: 'dogs.test' }, account),
    ])
    assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await installedSites(control.store.control)).length, 1)
  })

  test('give no tenant the data that an earlier one has left, but drop what is empty', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    await createTenant(control, cats)
    await deleteTenant(control, 'cats', { dropTables: false })
    await createInstalledTenant(control, cats, account)
    await deleteTenant(control, 'cats', { dropTables: false })
    await expect(createInstalledTenant(control, cats, account)).rejects.toMatchObject({ code: 'in-the-way' })
  })
})
