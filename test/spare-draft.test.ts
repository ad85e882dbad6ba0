import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createTenant, installTenant } from '../src/tenants/index.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { until } from './until.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }

const sparesOf = ({ dataDir }: TestApp) => readdir(join(dataDir, 'spares'))
const oneSpare = (app: TestApp) => until(async () => (await sparesOf(app)).length === 1, 'one spare')

async function checkInstalled(app: TestApp, count: number): Promise<void> {
  const { json } = await app.call('GET', 'tenants')
  const users = (json as { stats: { users: number } }[]).map(({ stats }) => stats.users)
  assert.deepEqual(users, Array(count).fill(1))
}

test('who installs one site makes no tables for another', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  await checkInstalled(app, 1)
  assert.deepEqual(await sparesOf(app), [])
})

test('from the second on the next tables are ready, and each is used once', async () => {
  await using app = await startTestApp()
  await app.tenant('a')
  await app.tenant('b')
  await oneSpare(app)
  const first = await sparesOf(app)
  // One of them gets it; the others make their own.
  await Promise.all(['c', 'd', 'e', 'f'].map((id) => app.tenant(id)))
  await oneSpare(app)
  assert.notDeepEqual(await sparesOf(app), first)
  await checkInstalled(app, 6)
  assert.deepEqual(await readdir(join(app.dataDir, 'drafts')), [])
})

test('none is left behind', async () => {
  await using app = await startTestApp()
  {
    await using tool = await openApp(readConfig(app.environment, '/'))
    for (const id of ['a', 'b', 'c']) {
      await createTenant(tool.control, { id, hostname: `${id}.test`, isEnabled: true })
      await installTenant(tool.control, id, account)
    }
  }
  assert.deepEqual(await sparesOf(app), [])
  await checkInstalled(app, 3)
})

test('tables that somebody took away are made again', async () => {
  await using app = await startTestApp()
  await app.tenant('a')
  await app.tenant('b')
  await oneSpare(app)
  const [name = ''] = await sparesOf(app)
  // It may still be in the making.
  await rm(join(app.dataDir, 'spares', name), { recursive: true, maxRetries: 10 })
  await app.tenant('c')
  await oneSpare(app)
  await app.tenant('d')
  await checkInstalled(app, 4)
})
