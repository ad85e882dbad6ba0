import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import type { JobRun } from '../../src/jobs/index.ts'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { readTenantWithStats } from '../../src/tenants/index.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { copyFiles, leftoversOf } from '../support/jobs.ts'
import { pathOfProgram } from '../support/run/test-programs.ts'
import { until } from '../support/until.ts'
import { onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'

const program = pathOfProgram('job-worker.ts')
const copies = 250

interface Worker extends AsyncDisposable {
  process: ChildProcess
  runs: JobRun[]
}

test('of four workers one is frozen past its leases, and every effect comes once', {
  timeout: 240_000,
}, async () => {
  // Without a log or usage to prune, a site can have nothing due.
  const environment = { SERVICE_JOBS_INTERVAL: '1', SERVICE_AUDIT_DAYS: '0', SERVICE_USAGE_DAYS: '0' }
  await using app = await startTestApp({ store: 'postgres', environment })
  const clock = clockOf(app)
  const tenants: TestTenant[] = []
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) tenants.push(await app.tenant(id))
  await using undo = new AsyncDisposableStack()
  const workers: Worker[] = []
  for (let count = 0; count < 4; count += 1) workers.push(undo.use(await startWorker(app, clock.path)))
  const [frozen, ...others] = workers as [Worker, ...Worker[]]

  let wasHolding = 0
  for (let round = 0; round < 3; round += 1) {
    for (const tenant of tenants) await fill(app, tenant)
    const before = await tokensOf(app)
    // What is taken now, the one takes that is frozen then.
    for (const other of others) other.process.kill('SIGSTOP')
    clock.move(301)
    await until(async () => (await tokensOf(app)) !== before, 'a lease was taken')
    await sleep(20 * round)
    frozen.process.kill('SIGSTOP')
    for (const other of others) other.process.kill('SIGCONT')
    // Until the others have done what is left to them, and then what the frozen one had.
    for (let tries = 0; !(await isAllDone(app)); tries += 1) {
      assert.ok(tries < 60, `jobs are left: ${JSON.stringify(await rowsOf(app))}`)
      await quiet(app)
      const held = (await rowsOf(app)).filter(({ leasedUntil }) => leasedUntil !== null).length
      if (tries === 0) wasHolding += held
      clock.move(61)
    }
    frozen.process.kill('SIGCONT')
    for (const tenant of tenants) await checkAllGone(app, tenant)
  }
  // What the frozen one was at when it woke up has ended by now, one way or the other.
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
  for (const tenant of tenants) await checkAllGone(app, tenant)

  const runs = workers.flatMap((worker) => worker.runs)
  for (const { id } of tenants) {
    const { stats } = await readTenantWithStats(app.app.control, id)
    const worked = runs.filter(({ tenant, outcome }) => tenant === id && outcome !== 'lost')
    const most = worked.reduce((sum, { seconds }) => sum + Math.ceil(seconds), 0)
    assert.ok(worked.length > 0)
    assert.ok(stats.cronTime <= most, `${id}: ${stats.cronTime} seconds in ${worked.length} runs`)
  }
  const lost = runs.filter(({ outcome }) => outcome === 'lost').length
  console.log(`${runs.length} runs by four workers, ${wasHolding} leases frozen, ${lost} lost`)
  assert.ok(wasHolding > 0, 'the frozen worker held leases')
})

/** A clock that all processes of the test read. */
function clockOf(app: TestApp) {
  const path = join(app.dataDir, 'clock')
  let seconds = 0
  writeFileSync(path, '0')
  return {
    path,
    move(by: number) {
      seconds += by
      app.wait(by)
      writeFileSync(path, String(seconds))
    },
  }
}

async function startWorker(app: TestApp, clockPath: string): Promise<Worker> {
  const child = spawn(process.execPath, [program, JSON.stringify(app.environment), clockPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const runs: JobRun[] = []
  const up = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const parsed = JSON.parse(line)
    if (parsed === 'up') up.resolve()
    else runs.push(parsed)
  })
  await Promise.race([up.promise, closed.then(() => assert.fail('a worker did not start'))])
  return {
    process: child,
    runs,
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      const [code] = await closed
      assert.equal(code, 0)
    },
  }
}

/** Some hundred files that end in five minutes, of which one has bytes. */
async function fill(app: TestApp, tenant: TestTenant): Promise<void> {
  await uploaded(app, tenant, { fields: { expiration: 'PT5M' } })
  await copyFiles(app, tenant, copies)
}

const rowsOf = (app: TestApp) =>
  app.app.control.store.control.selectFrom('job').selectAll().where('site', '<>', 0).orderBy('site').execute()

const tokensOf = async (app: TestApp) => (await rowsOf(app)).map(({ token }) => token).join()

const isAllDone = async (app: TestApp) =>
  (await rowsOf(app)).every(({ dueAt, leasedUntil }) => dueAt === null && leasedUntil === null)

/** Who waits for a row that the frozen one has locked gives up after five seconds; nobody waits longer. */
async function quiet(app: TestApp): Promise<void> {
  let seen = ''
  let seenAt = performance.now()
  while (performance.now() - seenAt < 7_000) {
    const rows = JSON.stringify(await rowsOf(app))
    if (rows !== seen) seenAt = performance.now()
    seen = rows
    if (await isAllDone(app)) return
    await sleep(50)
  }
}

async function checkAllGone(app: TestApp, tenant: TestTenant): Promise<void> {
  const remains = await leftoversOf(app, tenant)
  assert.deepEqual(remains, { files: 0, removals: 0, tags: 0, keys: [] })
  await onSiteOf(app, tenant, async (site) => {
    const totals = await allTotals(site.db)
    assert.deepEqual(await recountTotals(site), totals)
    assert.deepEqual([totals.files, totals.storageUsed, totals.fileViews], [0, 0, 0])
    assert.deepEqual((await readTenantWithStats(app.app.control, tenant.id)).stats, totals)
  })
}
