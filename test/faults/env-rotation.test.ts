import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Control } from '../../src/control/index.ts'
import {
  createPlan,
  createTenant,
  listPlans,
  listTenants,
  readPlan,
  readTenant,
  rotateKeys,
  tenantOfHost,
} from '../../src/tenants/index.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { endOf, runTool } from '../support/servers/child-server.ts'
import { times } from '../support/servers/several-servers.ts'
import { startDriver } from './crash/driver-process.ts'
import { recordCalls, strikeAt } from './crash/strace.ts'

const traced = await needing('strace')

const tenantCount = 120
const planCount = 30

onBothStores('rotation of keys', (store) => {
  test('a rotation killed at any time leaves all readable, and once it ends the old key is gone', {
    timeout: 300_000,
  }, async () => {
    await using app = await startTestApp({ store })
    await fill(app.app.control)
    const first = await keysOf(app)
    let kills = 0
    for (let round = 0; round < 16; round += 1) {
      await using driver = startDriver(app)
      await driver.prepare(taskOf(app, `${store} ${round}`))
      // A rotation takes some tens of milliseconds. Those that are quick enough to end are part of the trial.
      const timer = setTimeout(() => driver.child.kill('SIGKILL'), (round * 7) % 60)
      const end = await driver.perform()
      clearTimeout(timer)
      if (end.isKilled) kills += 1
      else assert.ok(end.isDone, end.output)
      await checkAll(app)
    }
    assert.ok(kills > 3, `only ${kills} of 16 were killed in time`)
    await finishRotation(app, first)
  })

  test('a value that is set while keys are rotated and retired can always be read', {
    timeout: 300_000,
  }, async () => {
    await using app = await startTestApp({ store })
    await fill(app.app.control)
    const [oldest = ''] = await keysOf(app)
    const last = new Map<string, string>()
    let isOver = false
    const edit = async (seed: number) => {
      for (let round = 0; !isOver; round += 1) {
        const number = (seed + round * 4) % tenantCount
        const path = number % 5 === 0 ? `tenants-plans/p${number % planCount}` : `tenants/t${number}`
        const value = `${seed} ${round}`
        const changed = await app.call('PATCH', path, { env: { SECRET: value } })
        assert.equal(changed.status, 204, changed.text)
        last.set(path, value)
        const { status, text } = await app.call('GET', path)
        assert.equal(status, 200, text)
      }
    }
    const watch = async () => {
      while (!isOver) {
        for (const path of ['tenants', 'tenants-plans']) {
          const { status, text } = await app.call('GET', path)
          assert.equal(status, 200, text)
        }
      }
    }
    const work = Promise.all([...times(4, edit), watch()])
    const rotate = async () => {
      await using beside = await openApp(readConfig(app.environment, '/'))
      assert.ok(beside.keyFile)
      for (let round = 0; round < 10; round += 1) await rotateKeys(beside.control, beside.keyFile)
    }
    try {
      await Promise.race([Promise.all([rotate(), rotate()]), work])
      const { code, output } = await endOf(runTool(['tenants', 'env:rotate', '--json'], app.environment))
      assert.equal(code, 0, output)
      assert.equal(JSON.parse(output).retired, true)
    } finally {
      isOver = true
      await work
    }
    for (const [path, value] of last) assert.equal((await app.call('GET', path)).json.env.SECRET, value, path)
    await using fresh = await openApp(readConfig(app.environment, '/'))
    assert.equal((await valuesOf(fresh.control)).size, tenantCount + planCount)
    assert.ok(!(await keysOf(app)).includes(oldest))
    assert.equal((await keysOf(app)).length, 1)
  })

  test('a value that cannot be read stops neither the others from a new key nor the old key from being kept', async () => {
    await using app = await startTestApp({ store })
    const { control, keyFile } = app.app
    assert.ok(keyFile)
    await fill(control)
    const [oldKey = ''] = await keysOf(app)
    await control.store.changeControl((db) =>
      db
        .updateTable('tenant')
        .set({ env: `${'0'.repeat(12)}.a.b.c` })
        .where('id', '=', 't7')
        .execute(),
    )
    await assert.rejects(rotateKeys(control, keyFile), /tenant t7 cannot be decrypted/)
    const rows = await control.store.control.selectFrom('tenant').select(['id', 'env']).execute()
    const newKey = control.keyRing.currentKeyId()
    assert.deepEqual(
      rows.filter(({ env }) => !env?.startsWith(newKey)).map(({ id }) => id),
      ['t7'],
    )
    assert.ok((await keysOf(app)).includes(oldKey))
    assert.equal((await app.call('PATCH', 'tenants/t7', { env: { SECRET: 'of t7' } })).status, 204)
    await rotateKeys(control, keyFile)
    await checkAll(app)
    assert.ok(!(await keysOf(app)).includes(oldKey))
  })

  test('a row that was read before its key was retired is read again', async () => {
    await using app = await startTestApp({ store })
    await fill(app.app.control)
    let refusals = 0
    const { keyRing } = app.app.control
    const lateRing = {
      ...keyRing,
      unseal(sealed: string, boundTo: string): string {
        refusals += 1
        return refusals % 2 === 1
          ? keyRing.unseal(`${'0'.repeat(12)}.a.b.c`, boundTo)
          : keyRing.unseal(sealed, boundTo)
      },
    }
    const control = { ...app.app.control, keyRing: lateRing }
    assert.deepEqual((await readTenant(control, 't1')).env, { SECRET: 'of t1' })
    assert.deepEqual((await tenantOfHost(control, 't2.test'))?.env, { SECRET: 'of t2' })
    assert.deepEqual((await readPlan(control, 'p1')).env, { SECRET: 'of p1' })
  })
})

traced.test('a rotation killed at its system calls goes on where it was', { timeout: 300_000 }, async () => {
  await using app = await startTestApp()
  await fill(app.app.control)
  const first = await keysOf(app)
  await using recorded = startDriver(app)
  const points = await recordCalls(recorded, taskOf(app, 'recording'))
  const rounds = 20
  for (let round = 0; round < rounds; round += 1) {
    // Later and later, so that each takes up what the one before has left.
    const point = points[Math.floor((round / rounds) * points.length)]
    assert.ok(point)
    await using driver = startDriver(app)
    const strike = { point, fate: 'signal=SIGKILL' }
    const { isKilled, isDone, output } = await strikeAt(driver, taskOf(app, `${round}`), strike)
    assert.ok(isKilled || isDone, output)
    await checkAll(app)
  }
  await finishRotation(app, first)
})

const taskOf = ({ dataDir }: TestApp, seed: string) => ({ verb: 'rotation', folder: dataDir, seed })

async function fill(control: Control): Promise<void> {
  for (const number of times(planCount, (place) => place))
    await createPlan(control, { id: `p${number}`, env: { SECRET: `of p${number}` } })
  for (const number of times(tenantCount, (place) => place)) {
    const id = `t${number}`
    const env = { SECRET: `of ${id}` }
    await createTenant(control, {
      id,
      hostname: `${id}.test`,
      isEnabled: true,
      planId: `p${number % planCount}`,
      env,
    })
  }
}

async function valuesOf(control: Control): Promise<Map<string, string | undefined>> {
  const values = new Map<string, string | undefined>()
  for await (const page of listTenants(control)) for (const { id, env } of page) values.set(id, env.SECRET)
  for (const { id, env } of await listPlans(control)) values.set(id, env.SECRET)
  return values
}

/** All can be read, by the server that was there all the time and by one that starts now. */
async function checkAll(app: TestApp): Promise<void> {
  const { status, json } = await app.call('GET', 'tenants')
  assert.equal(status, 200)
  assert.equal(json.length, tenantCount)
  await using fresh = await openApp(readConfig(app.environment, '/'))
  for (const control of [app.app.control, fresh.control]) {
    const values = await valuesOf(control)
    assert.equal(values.size, tenantCount + planCount)
    for (const [id, value] of values) assert.equal(value, `of ${id}`)
  }
}

async function finishRotation(app: TestApp, oldKeys: string[]): Promise<void> {
  await using driver = startDriver(app)
  await driver.prepare(taskOf(app, 'last'))
  const { isDone, output } = await driver.perform()
  assert.ok(isDone, output)
  const keys = await keysOf(app)
  assert.equal(keys.length, 1)
  assert.ok(!oldKeys.includes(keys[0] as string))
  await checkAll(app)
  const folder = join(app.dataDir, 'secrets')
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8')
    for (const key of oldKeys) assert.ok(!text.includes(key), `${name} has an old key`)
  }
}

const keysOf = async ({ dataDir }: TestApp): Promise<string[]> =>
  (await readFile(join(dataDir, 'secrets', 'encryption-keys'), 'utf8')).trim().split('\n')
