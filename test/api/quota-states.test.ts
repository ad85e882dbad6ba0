import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import {
  picture,
  refusalOf,
  statsOf,
  type TestTenant,
  upload,
  uploaded,
  writeViewsOf,
} from '../support/uploads.ts'

/** A site with one file, whose bytes are the unit of its quota. */
async function startFilled(store: StoreKind) {
  const app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const first = await uploaded(app, cats)
  const { storage_used: one = 0 } = await statsOf(app, cats)
  let seed = 0
  return {
    app,
    cats,
    key,
    first,
    one,
    add: async () => {
      seed += 1
      return upload(app, cats, { file: await picture({ seed }) })
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
    },
  }
}

const limit = async (app: TestApp, limits: Record<string, string>, env: Record<string, string> = {}) =>
  assert.equal((await app.call('PATCH', 'tenants/cats', { limits, env })).status, 204)

/** The events about quotas, oldest first. */
async function eventsOf(app: TestApp, cats: TestTenant, key: string): Promise<string[]> {
  const { data } = (await ask5(app, cats, 'GET audit?limit=200', { key })).json
  return data
    .filter(({ verb }: { verb: string }) => verb.startsWith('quota.'))
    .map(({ verb, after }: any) => [verb.slice(6), after.percent].filter(Boolean).join(' '))
    .reverse()
}

const quotasOf = async (app: TestApp) => (await app.call('GET', 'tenants/cats/quotas')).json

onEachStore('the states of quotas', (store) => {
  test('each threshold of storage has one alert, and another one after the use fell below it', async () => {
    await using site = await startFilled(store)
    const { app, cats, key, one, first } = site
    // Pictures of one size differ by some bytes: four of them fit, and five do not.
    const value = Math.floor(4.5 * one)
    await limit(app, { SERVICE_MAX_STORAGE: String(value), SERVICE_QUOTA_ALERT: '40,80' })
    assert.deepEqual(await eventsOf(app, cats, key), [])
    for (let count = 0; count < 3; count += 1) assert.equal((await site.add()).status, 200)
    assert.deepEqual(await eventsOf(app, cats, key), ['alert 40', 'alert 80'])
    const { data } = (await ask5(app, cats, 'GET audit?verb=quota.alert', { key })).json
    const { storage_used: used } = await statsOf(app, cats)
    assert.deepEqual(data[0].after, { limit: 'SERVICE_MAX_STORAGE', percent: 80, value, used })

    const [status, number, message] = refusalOf(await site.add())
    assert.deepEqual([status, number], [403, 999])
    assert.match(message, /SERVICE_MAX_STORAGE/)
    assert.equal((await site.add()).status, 403)
    assert.deepEqual((await eventsOf(app, cats, key)).slice(2), ['reached'])
    const [quota] = (await quotasOf(app)).data
    assert.deepEqual(quota, {
      limit: 'SERVICE_MAX_STORAGE',
      value,
      used,
      reserved: 0,
      percent: Math.floor(((used ?? 0) * 100) / value),
      state: 'reached',
    })
    assert.deepEqual((await ask5(app, cats, 'GET quotas', { key })).json.data, [quota])

    for (const { id } of [first, ...(await ask5(app, cats, 'GET files', { key })).json.data.slice(0, 2)]) {
      const path = `DELETE files/${id ?? first.id_encoded}?permanent=true`
      await ask5(app, cats, path, { key })
    }
    assert.deepEqual((await eventsOf(app, cats, key)).slice(3), ['cleared'])
    assert.equal((await quotasOf(app)).data[0].state, 'ok')
    await site.add()
    await site.add()
    assert.deepEqual((await eventsOf(app, cats, key)).slice(4), ['alert 40'])
  })

  test('a changed limit counts within seconds, of the tenant and of its plan', async () => {
    await using site = await startFilled(store)
    const { app, cats, key, one } = site
    await limit(app, { SERVICE_MAX_STORAGE: String(one) })
    await until(async () => (await eventsOf(app, cats, key)).length === 3, 'three events')
    assert.deepEqual(await eventsOf(app, cats, key), ['alert 80', 'alert 95', 'reached'])
    await limit(app, {})
    await until(async () => (await eventsOf(app, cats, key)).length === 4, 'the end of the quota')
    assert.deepEqual((await eventsOf(app, cats, key)).slice(3), ['cleared'])
    assert.deepEqual((await quotasOf(app)).data, [])

    const plan = await app.call('POST', 'tenants-plans', {
      id: 'small',
      limits: { SERVICE_MAX_STORAGE: '100G' },
    })
    assert.equal(plan.status, 201, plan.text)
    await app.call('PATCH', 'tenants/cats', { plan_id: 'small' })
    await app.call('PATCH', 'tenants-plans/small', { limits: { SERVICE_MAX_STORAGE: String(one + 1) } })
    await until(async () => (await eventsOf(app, cats, key)).length >= 6, 'the alerts of the plan')
    assert.deepEqual((await eventsOf(app, cats, key)).slice(4), ['alert 80', 'alert 95'])
    await app.call('PATCH', 'tenants-plans/small', { limits: { SERVICE_MAX_STORAGE: String(10 * one) } })
    await until(async () => (await quotasOf(app)).data[0].state === 'ok', 'a larger plan')
  })

  test('traffic of a month is told once, and the next month begins anew', async () => {
    await using site = await startFilled(store)
    const { app, cats, key, first } = site
    const { length } = Buffer.from((await ask(app, first.url)).text)
    assert.ok(length > 0)
    await limit(app, { SERVICE_MAX_TRAFFIC: '1000000' })
    await writeViewsOf(app, cats, 0)
    const [quota] = (await quotasOf(app)).data
    assert.equal(quota.limit, 'SERVICE_MAX_TRAFFIC')
    assert.ok(quota.used > 0)
    await limit(app, { SERVICE_MAX_TRAFFIC: String(quota.used) })
    await until(async () => (await eventsOf(app, cats, key)).length === 3, 'three events')
    assert.equal((await quotasOf(app)).data[0].state, 'reached')
    app.wait(32 * 86_400)
    const later = await keyOf(app, cats, 'admin')
    await until(async () => (await eventsOf(app, cats, later)).length === 4, 'the next month')
    assert.deepEqual((await eventsOf(app, cats, later)).slice(3), ['cleared'])
    assert.deepEqual((await quotasOf(app)).data[0].used, 0)
    app.wait(-32 * 86_400)
    await until(async () => (await eventsOf(app, cats, later)).length === 5, 'the month before')
    assert.deepEqual((await eventsOf(app, cats, later)).slice(4), ['reached'])
  })

  test('a clock that jumps over the end of a month and back repeats no alert', async () => {
    await using site = await startFilled(store)
    const { app, cats, key, first } = site
    await ask(app, first.url)
    await writeViewsOf(app, cats, 0)
    await limit(app, { SERVICE_MAX_TRAFFIC: '1' })
    const told = () => eventsOf(app, cats, key)
    await until(async () => (await told()).length === 3, 'two alerts and the end of the traffic')
    const now = app.app.control.clock.now()
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
    app.wait((next - now.getTime()) / 1_000 - 1_800)
    for (const jump of [3_600, 2 * 86_400]) {
      for (const [seconds, state] of [
        [jump, 'ok'],
        [-jump, 'reached'],
      ] as const) {
        const before = (await told()).length
        app.wait(seconds)
        await until(async () => (await told()).length > before, `what a jump of ${seconds} s changes`)
        assert.equal((await quotasOf(app)).data[0].state, state)
      }
    }
    const changes = ['cleared', 'reached', 'cleared', 'reached']
    assert.deepEqual(await told(), ['alert 80', 'alert 95', 'reached', ...changes])
  })
})
