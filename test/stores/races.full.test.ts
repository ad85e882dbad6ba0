import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUser } from '../../src/accounts/index.ts'
import { type Control, createKey, deleteKey } from '../../src/control/index.ts'
import { inTransaction } from '../../src/db/index.ts'
import { changingSite, noTotals } from '../../src/site/index.ts'
import { openSite, readTenant } from '../../src/tenants/index.ts'
import { onEachStore, type TestApp } from '../support/harness.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { storedSitesOf } from '../support/stores/stored-sites.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }
const tenantBody = (id: string, hostname = `${id}.test`) => ({ id, hostname, is_enabled: true })

onEachStore('races', (store) => {
  test('of many creates of one id one succeeds', async () => {
    await using servers = await startServers(store)
    const rounds = 6
    for (const id of times(rounds, (round) => `cats${round}`)) {
      const answers = await Promise.all(
        times(32, (place) => servers.call('POST', 'tenants', tenantBody(id, `h${place}-${id}.test`))),
      )
      assert.deepEqual(tally(answers), { 201: 1, 409: 31 })
      const winner = answers.find((answer) => answer.status === 201)?.json
      assert.deepEqual((await servers.call('GET', `tenants/${id}`)).json, winner)
    }
    assert.equal((await servers.call('GET', 'tenants')).json.length, rounds)
    assert.equal((await storedSitesOf(servers.first)).siteRows.length, rounds)
  })

  test('of many creates of one hostname one succeeds', async () => {
    await using servers = await startServers(store)
    const rounds = 6
    for (const host of times(rounds, (round) => `cats${round}.test`)) {
      const answers = await Promise.all(
        times(32, (place) =>
          servers.call('POST', 'tenants', tenantBody(`t${place}-${host.slice(0, 5)}`, host)),
        ),
      )
      assert.deepEqual(tally(answers), { 201: 1, 409: 31 })
    }
    const { json } = await servers.call('GET', 'tenants')
    assert.equal(new Set(json.map((tenant: { hostname: string }) => tenant.hostname)).size, rounds)
    assert.equal(json.length, rounds)
    assert.equal((await storedSitesOf(servers.first)).siteRows.length, rounds)
  })

  test('of many installs one succeeds, and no other leaves anything', async () => {
    await using servers = await startServers(store)
    const rounds = 3
    for (const id of times(rounds, (round) => `cats${round}`)) {
      await servers.call('POST', 'tenants', tenantBody(id))
      const answers = await Promise.all(
        times(16, (place) =>
          servers.call('POST', `tenants/${id}/install`, { ...account, username: `user${place}` }),
        ),
      )
      assert.deepEqual(tally(answers), { 201: 1, 409: 15 })
      const winner = answers.find((answer) => answer.status === 201)?.json.admin.username
      const reset = (username: string) =>
        servers.call('PATCH', `tenants/${id}/user-password-reset`, { username })
      for (const username of times(16, (place) => `user${place}`)) {
        assert.equal((await reset(username)).status, username === winner ? 200 : 404)
      }
    }
    const { sites, litter } = await storedSitesOf(servers.first)
    assert.equal(sites.size, rounds)
    for (const names of sites.values()) assert.equal(names.length, 1)
    assert.deepEqual(litter, [])
  })

  test('a create that races with deletes gets a true answer', async () => {
    await using servers = await startServers(store)
    for (const id of times(25, (round) => `cats${round}`)) {
      const creates = times(6, () => servers.call('POST', 'tenants', tenantBody(id)))
      const deletes = times(6, (place) =>
        servers.call('DELETE', `tenants/${id}`, { drop_tables: place % 2 === 0 }),
      )
      const [created, deleted] = await Promise.all([Promise.all(creates), Promise.all(deletes)])
      onlyStatuses(created, 201, 409)
      onlyStatuses(deleted, 204, 404)
      const left = (tally(created)[201] ?? 0) - (tally(deleted)[204] ?? 0)
      const { status } = await servers.call('GET', `tenants/${id}`)
      assert.equal(status, left === 1 ? 200 : 404, `${left} left after ${JSON.stringify(tally(created))}`)
    }
  })

  test('an install that races with a delete counts, or never was', async () => {
    await using servers = await startServers(store)
    for (const [round, id] of times(16, (place) => `cats${place}`).entries()) {
      await servers.call('POST', 'tenants', tenantBody(id))
      const install = servers.call('POST', `tenants/${id}/install`, account)
      await new Promise((resolve) => setTimeout(resolve, (round % 8) * 6))
      const [installed, deleted] = await Promise.all([install, servers.call('DELETE', `tenants/${id}`)])
      onlyStatuses([installed], 201, 404)
      assert.equal(deleted.status, 204)

      await servers.call('POST', 'tenants', tenantBody(id))
      const again = await servers.call('POST', `tenants/${id}/install`, { ...account, username: 'eve' })
      assert.equal(again.status, installed.status === 201 ? 409 : 201)
    }
  })

  test('an install that races with a delete of the tables leaves nothing behind', async () => {
    await using servers = await startServers(store)
    for (const [round, id] of times(16, (place) => `cats${place}`).entries()) {
      await servers.call('POST', 'tenants', tenantBody(id))
      const installs = times(3, () => servers.call('POST', `tenants/${id}/install`, account))
      await new Promise((resolve) => setTimeout(resolve, (round % 8) * 10))
      const deleted = await servers.call('DELETE', `tenants/${id}`, { drop_tables: true })
      const installed = await Promise.all(installs)
      assert.equal(deleted.status, 204)
      onlyStatuses(installed, 201, 404, 409)
      assert.ok((tally(installed)[201] ?? 0) <= 1)
    }
    const { sites, siteRows, litter } = await storedSitesOf(servers.first)
    assert.deepEqual([[...sites], siteRows, litter], [[], [], []])
  })

  test('of many who want one hostname one gets it', async () => {
    await using servers = await startServers(store)
    const ids = times(8, (place) => `t${place}`)
    for (const id of ids) await servers.call('POST', 'tenants', tenantBody(id))
    for (const hostname of times(12, (round) => `wanted${round}.test`)) {
      const answers = await Promise.all(ids.map((id) => servers.call('PATCH', `tenants/${id}`, { hostname })))
      assert.deepEqual(tally(answers), { 204: 1, 409: 7 })
      const { json } = await servers.call('GET', 'tenants')
      const owners = json.filter((tenant: { hostname: string }) => tenant.hostname === hostname)
      assert.deepEqual([owners.length, owners[0].id], [1, ids[answers.findIndex((a) => a.status === 204)]])
    }
  })

  test('a plan that is deleted while tenants are put on it leaves none of them in trouble', async () => {
    await using servers = await startServers(store)
    for (const plan of times(12, (round) => `plan${round}`)) {
      await servers.call('POST', 'tenants-plans', { id: plan, limits: { SERVICE_MAX_FILES: 5 } })
      await servers.call('POST', 'tenants', { ...tenantBody(`${plan}-old`), plan_id: plan })
      await servers.call('POST', `tenants/${plan}-old/install`, account)
      const creates = times(6, (place) =>
        servers.call('POST', 'tenants', { ...tenantBody(`${plan}-${place}`), plan_id: plan }),
      )
      const reads = times(6, () => servers.call('GET', `tenants/${plan}-old/effective`))
      const visits = servers.all.flatMap((server) =>
        times(3, () => server.send('GET', '/', { headers: { host: `${plan}-old.test` } })),
      )
      const [deleted, ...created] = await Promise.all([
        servers.call('DELETE', `tenants-plans/${plan}`),
        ...creates,
      ])
      assert.equal(deleted.status, 204)
      onlyStatuses(created, 201, 409)
      onlyStatuses(await Promise.all([...reads, ...visits]), 200)
    }
    const { json } = await servers.call('GET', 'tenants')
    for (const tenant of json) assert.equal(tenant.plan_id, null)
  })

  test('a password reset that races with a delete is done, or answered that the user does not exist', async () => {
    await using servers = await startServers(store)
    for (const [round, id] of times(16, (place) => `cats${place}`).entries()) {
      await servers.call('POST', 'tenants', tenantBody(id))
      await servers.call('POST', `tenants/${id}/install`, account)
      const reset = () => servers.call('PATCH', `tenants/${id}/user-password-reset`, { username: 'ada' })
      const resets = times(4, reset)
      await new Promise((resolve) => setTimeout(resolve, (round % 8) * 8))
      const deleted = await servers.call('DELETE', `tenants/${id}`, { drop_tables: round % 2 === 0 })
      const late = await Promise.all(times(2, reset))
      assert.equal(deleted.status, 204)
      onlyStatuses(await Promise.all(resets), 200, 404)
      assert.deepEqual(tally(late), { 404: 2 })
    }
  })

  test('a site in use while its tenant is deleted and created again is still one site', async () => {
    await using servers = await startServers(store, 1)
    const { control } = servers.first.app
    const { id } = await servers.first.tenant('cats')
    const early = await openSite(control, await readTenant(control, id))
    await servers.call('DELETE', `tenants/${id}`)
    await servers.call('POST', 'tenants', tenantBody(id))
    const late = await openSite(control, await readTenant(control, id))

    const person = (name: string) => ({ ...account, username: name, email: `${name}@example.com` })
    const users = ['eve', 'bob', 'joe', 'liv', 'max', 'zoe']
    await Promise.all(
      users.map((name, place) =>
        createUser(changingSite(place % 2 ? early : late), { ...person(name), role: 'user' }),
      ),
    )
    const begun = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const waiting = inTransaction(late.db, async (db) => {
      await db.updateTable('user').set({ isBanned: 1 }).where('username', '=', 'eve').execute()
      begun.resolve()
      await left.promise
      await db.updateTable('user').set({ isBanned: 1 }).where('username', '=', 'bob').execute()
      throw new Error('undone')
    })
    await begun.promise
    const leaving = early[Symbol.asyncDispose]()
    await new Promise((resolve) => setTimeout(resolve, 50))
    left.resolve()
    await assert.rejects(waiting, /^Error: undone$/)
    await leaving
    const banned = await late.db.selectFrom('user').select('username').where('isBanned', '=', 1).execute()
    assert.deepEqual(banned, [])
    await late[Symbol.asyncDispose]()
    assert.deepEqual([...(await storedSitesOf(servers.first)).sites.values()][0]?.toSorted(), [
      'ada',
      ...users.toSorted(),
    ])
  })

  test('what was read before a change is not taken for what holds after it', async () => {
    await using servers = await startServers(store, 1)
    const { control } = servers.first.app
    const { id } = await servers.first.tenant('cats')
    const old = await readTenant(control, id)
    await servers.call('PATCH', `tenants/${id}`, { limits: { SERVICE_MAX_FILES: 7 } })
    await (await openSite(control, old))[Symbol.asyncDispose]()
    await using site = await openSite(control, await readTenant(control, id))
    assert.equal(site.values.get('SERVICE_MAX_FILES'), '7')
  })

  test('a change on one server is seen by another within a second', async () => {
    await using servers = await startServers(store, 2)
    const [here, there] = servers.all as [TestApp, TestApp]
    await here.call('POST', 'tenants-plans', { id: 'gold' })
    const { id, hostname } = await here.tenant('cats')
    await here.call('PATCH', `tenants/${id}`, { plan_id: 'gold' })
    const visit = () => there.send('GET', '/', { headers: { host: hostname } })
    const limitThere = async () =>
      (await there.call('GET', `tenants/${id}/effective`)).json.limits.SERVICE_MAX_FILES.value
    let slowest = 0
    const seen = async (isSeen: () => Promise<boolean>) => {
      using watch = startStopwatch()
      while (!(await isSeen())) assert.ok(watch.ms() < 1_000, 'not seen within a second')
      slowest = Math.max(slowest, watch.ms())
    }
    for (const round of times(50, (place) => place + 1)) {
      const isEnabled = round % 2 === 0
      await here.call('PATCH', `tenants/${id}`, { is_enabled: isEnabled })
      await seen(async () => (await visit()).status === (isEnabled ? 200 : 403))

      await here.call('PATCH', 'tenants-plans/gold', { limits: { SERVICE_MAX_FILES: round } })
      await seen(async () => (await limitThere()) === String(round))

      const { key, id: keyId } = await createKey(here.app.control, {})
      const verify = () => there.call('POST', 'auth/verify', undefined, { 'x-api-key': key })
      await seen(async () => (await verify()).status === 200)
      await deleteKey(here.app.control, { id: keyId })
      await seen(async () => (await verify()).status === 401)
    }
    await here.call('DELETE', `tenants/${id}`)
    await seen(async () => (await visit()).status === 404)
    console.log(`The slowest of 201 changes was seen after ${Math.round(slowest)} ms (${store}).`)
  })

  test('a list made while tenants change has each tenant once, and each as it was at one time', async () => {
    await using servers = await startServers(store)
    const count = 1_300
    await insertTenants(servers.first.app.control, count)
    let isOver = false
    const edit = async (seed: number) => {
      for (let round = 0; !isOver; round += 1) {
        const place = (seed * 331 + round * 97) % count
        const value = `${seed}-${round}`
        const change = { hostname: `v${value}.t${place}.test`, limits: { V: value }, env: { V: value } }
        onlyStatuses([await servers.call('PATCH', `tenants/${idAt(place)}`, change)], 204)
        if (round % 3 === 0) {
          const id = `passing-${value}`
          onlyStatuses([await servers.call('POST', 'tenants', tenantBody(id))], 201)
          onlyStatuses([await servers.call('DELETE', `tenants/${id}`, { drop_tables: true })], 204)
        }
      }
    }
    const edits = times(3, edit)
    for (let round = 0; round < 30; round += 1) {
      const { status, json } = await servers.call('GET', 'tenants')
      assert.equal(status, 200)
      const lasting = json.filter((tenant: { id: string }) => !tenant.id.startsWith('passing'))
      assert.deepEqual(
        lasting.map((tenant: { id: string }) => tenant.id),
        times(count, idAt),
      )
      for (const { hostname, limits, env } of lasting) {
        assert.ok(limits.V === undefined || hostname.startsWith(`v${limits.V}.`), `${hostname}, ${limits.V}`)
        assert.equal(env.V, limits.V)
      }
      const headers = { 'x-api-key': servers.first.key }
      const proxy = await servers.first.send('GET', '/_/api/4/config/proxy', { headers })
      assert.ok(Object.keys(proxy.json.http.routers).length > count)
    }
    isOver = true
    await Promise.all(edits)
  })
})

const idAt = (place: number) => `t${String(place).padStart(5, '0')}`

/** Many at once, past the API. */
function insertTenants(control: Control, count: number): Promise<void> {
  return control.store.changeControl(async (db) => {
    for (const place of times(count, (at) => at)) {
      const idKey = idAt(place)
      const at = new Date().toISOString()
      const stats = JSON.stringify(noTotals)
      const { number: site } = await db
        .insertInto('site')
        .values({ idKey, state: 'live', installedAt: null, stats })
        .returning('number')
        .executeTakeFirstOrThrow()
      const row = { id: idKey, idKey, hostname: `${idKey}.test`, isEnabled: 1, limits: '{}', site }
      await db
        .insertInto('tenant')
        .values({ ...row, planId: null, env: null, createdAt: at, updatedAt: at, lastJobAt: null })
        .execute()
    }
  })
}

function onlyStatuses(answers: readonly { status: number; text: string }[], ...legal: number[]): void {
  for (const { status, text } of answers) assert.ok(legal.includes(status), `${status}: ${text}`)
}
