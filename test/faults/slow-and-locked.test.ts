import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { test } from 'vitest'
import { type Answer, managementPath, sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { startChildServer } from '../support/servers/child-server.ts'
import { tally, times } from '../support/servers/several-servers.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'
import { attach } from './crash/strace.ts'

const traced = await needing('strace')

const tenantBody = (id: string) => ({ id, hostname: `${id}.test`, is_enabled: true })

test('while another process holds the write lock, writes are refused after 5 s and all else goes on', async () => {
  await using app = await startTestApp()
  const ids = ['cats', 'dogs', 'cows', 'pigs']
  for (const id of ids) await app.tenant(id)
  const before = (await app.call('GET', 'tenants')).json
  const usual = await slowestRead(app, ids, 5)
  {
    await using _lock = await holdLock(join(app.dataDir, 'control.db'))
    const writes = [
      ...times(6, (place) => timed(app.call('POST', 'tenants', tenantBody(`new${place}`)))),
      timed(app.call('PATCH', 'tenants/cats', { env: { A: 'b' } })),
      timed(app.call('DELETE', 'tenants/dogs', { drop_tables: true })),
      timed(app.call('POST', 'tenants-plans', { id: 'gold' })),
      // Its row in the audit log is a control row.
      timed(app.call('PATCH', 'tenants/cows/user-password-reset', { username: 'ada' })),
    ]
    await pause(200)
    const slowest = await slowestRead(app, ids, 20)
    assert.ok(slowest < Math.max(2_000, 5 * usual), `a read took ${slowest} ms, without the lock ${usual} ms`)
    for (const { answer, ms, ownMs } of await Promise.all(writes)) {
      assert.equal(answer.status, 503, answer.text)
      assert.equal(answer.headers['retry-after'], '5')
      assert.ok(ms > 4_500 && ownMs < 8_000, `refused after ${ms} ms`)
    }
    console.log(`The slowest of 240 calls beside the lock took ${slowest} ms, without the lock ${usual} ms.`)
  }
  assert.deepEqual((await app.call('GET', 'tenants')).json, before)
  assert.equal((await app.call('POST', 'tenants', tenantBody('new0'))).status, 201)
  assert.equal((await app.call('DELETE', 'tenants/dogs', { drop_tables: true })).status, 204)
})

/** Of calls that do not write control rows. */
async function slowestRead(app: TestApp, ids: readonly string[], rounds: number): Promise<number> {
  let slowest = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const id of ids) {
      const calls = [
        timed(app.send('GET', '/', { headers: { host: `${id}.test` } })),
        timed(app.call('GET', `tenants/${id}`)),
        timed(app.call('GET', `tenants/${id}/effective`)),
      ]
      for (const { answer, ownMs } of await Promise.all(calls)) {
        assert.equal(answer.status, 200, answer.text)
        slowest = Math.max(slowest, ownMs)
      }
    }
  }
  return slowest
}

test('a lock that is let go in time is only a delay', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  const lock = await holdLock(join(app.dataDir, 'control.db'))
  const writes = times(6, (place) => app.call('POST', 'tenants', tenantBody(`new${place}`)))
  await pause(1_500)
  await lock[Symbol.asyncDispose]()
  assert.deepEqual(tally(await Promise.all(writes)), { 201: 6 })
})

test('the lock of one site is no trouble to the others', async () => {
  await using app = await startTestApp()
  const ids = ['cats', 'dogs', 'cows', 'pigs']
  for (const id of ids) await app.tenant(id)
  const reset = (id: string) => app.call('PATCH', `tenants/${id}/user-password-reset`, { username: 'ada' })
  const resetOthers = async () => {
    const resets = await Promise.all(ids.slice(1).map((id) => timed(reset(id))))
    for (const { answer } of resets) assert.equal(answer.status, 200)
    return Math.max(...resets.map(({ ownMs }) => ownMs))
  }
  {
    const usual = await resetOthers()
    await using _lock = await holdLock(join(app.dataDir, 'sites', '1', 'site.db'))
    const waiting = timed(reset('cats'))
    await pause(100)
    const slowest = await resetOthers()
    assert.ok(slowest < Math.max(2_000, 5 * usual), `took ${slowest} ms, without the lock ${usual} ms`)
    assert.equal((await app.send('GET', '/', { headers: { host: 'cats.test' } })).status, 200)
    const { answer, ms, ownMs } = await waiting
    assert.equal(answer.status, 503)
    assert.ok(ms > 4_500 && ownMs < 8_000, `refused after ${ms} ms`)
  }
  assert.equal((await reset('cats')).status, 200)
})

test('on PostgreSQL too, a lock on the control rows holds up writes only, and those for 5 s', async () => {
  await using app = await startTestApp({ store: 'postgres' })
  await app.tenant('cats')
  const client = new pg.Client({ connectionString: app.environment.SERVICE_DATABASE_URL })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query(`select "value" from "meta" where "name" = 'version' for update`)
  // More than there are connections.
  const writes = times(25, (place) => timed(app.call('POST', 'tenants', tenantBody(`new${place}`))))
  await pause(200)
  for (let round = 0; round < 20; round += 1) {
    const reads = [
      timed(app.call('GET', 'tenants/nobody')),
      timed(app.send('GET', '/', { headers: { host: 'nobody.test' } })),
    ]
    for (const { answer, ownMs } of await Promise.all(reads)) {
      assert.equal(answer.status, 404, answer.text)
      assert.ok(ownMs < 2_000, `a read took ${ownMs} ms`)
    }
  }
  for (const { answer, ms, ownMs } of await Promise.all(writes)) {
    assert.equal(answer.status, 503, answer.text)
    assert.equal(answer.headers['retry-after'], '5')
    assert.ok(ms > 4_500 && ownMs < 8_000, `refused after ${ms} ms`)
  }
  await client.end()
  assert.equal((await app.call('POST', 'tenants', tenantBody('new'))).status, 201)
})

traced.test('a disk that is slow to sync does not keep readers waiting', async () => {
  // A fast machine reads more often than the rate allows.
  await using app = await startTestApp({ environment: { SERVICE_RATE_READS: '0' } })
  await app.tenant('cats')
  await using server = await startChildServer(app.environment)
  const delay = 'inject=fsync,fdatasync:delay_enter=700000'
  const strace = await attach([
    '-f',
    '-p',
    String(server.child.pid),
    '-e',
    'trace=fsync,fdatasync',
    '-e',
    delay,
    '-o',
    '/dev/null',
  ])
  const call = callTo(app, server.port)
  const account = { username: 'eve', email: 'eve@example.com', password: 'correct horse' }
  await call('GET', 'tenants/cats')

  const writes = [
    timed(call('POST', 'tenants', tenantBody('new'))),
    timed(call('PATCH', 'tenants/cats', { env: { A: 'b' } })),
  ]
  let slowest = 0
  let isWritten = false
  const written = Promise.all(writes).then((answers) => {
    isWritten = true
    return answers
  })
  let reads = 0
  while (!isWritten) {
    const path = '/_/health/live'
    const visit = sendRequest(server.port, 'GET', '/', { headers: { host: 'cats.test' } })
    for (const read of [call('GET', 'tenants/cats'), visit, sendRequest(server.port, 'GET', path)]) {
      const { answer, ownMs } = await timed(read)
      assert.equal(answer.status, 200)
      slowest = Math.max(slowest, ownMs)
      reads += 1
    }
  }
  const answers = await written
  assert.deepEqual(
    answers.map(({ answer }) => answer.status),
    [201, 204],
  )
  for (const { ms } of answers) assert.ok(ms > 600, `the disk was not slow: ${ms} ms`)
  assert.ok(slowest < 500, `a read took ${slowest} ms`)
  console.log(`The slowest of ${reads} reads beside a slow disk took ${Math.round(slowest)} ms.`)

  assert.equal((await call('POST', 'tenants/new/install', account)).status, 201)
  const ended = once(strace, 'close')
  strace.kill()
  await ended
})

traced.test('a page waits for no disk, though its view is counted', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const { url_viewer: url } = await uploaded(app, cats)
  await using server = await startChildServer(app.environment)
  const delayMs = 1_000
  const headers = { host: cats.hostname, accept: 'text/html' }
  const page = () => sendRequest(server.port, 'GET', new URL(url).pathname, { headers })
  assert.equal((await page()).status, 200)
  const words = ['-f', '-p', String(server.child.pid), '-e', 'trace=fsync,fdatasync']
  const delay = `inject=fsync,fdatasync:delay_enter=${delayMs * 1_000}`
  const strace = await attach([...words, '-e', delay, '-o', '/dev/null'])
  const call = callTo(app, server.port)

  let views = 1
  const took: number[] = []
  // Longer than it takes until views are written, so that some pages come just then.
  for (const start = performance.now(); performance.now() - start < 8_000; ) {
    const { answer, ms } = await timed(page())
    views += 1
    assert.equal(answer.status, 200)
    assert.equal(/<dt>Views<\/dt><dd>(\d+)<\/dd>/.exec(answer.text)?.[1], String(views))
    took.push(ms)
    await pause(10)
  }
  const slowest = took.toSorted((a, b) => b - a)
  const p99 = slowest[Math.floor(slowest.length / 100)] ?? 0
  assert.ok(p99 < delayMs / 2, `one of a hundred pages takes ${p99} ms`)
  console.log(`Of ${took.length} pages beside a slow disk 99 of 100 took less than ${Math.round(p99)} ms.`)
  const patched = await timed(call('PATCH', 'tenants/cats', { env: { A: 'b' } }))
  assert.ok(patched.ms > delayMs * 0.9, `the disk was not slow: ${patched.ms} ms`)

  const ended = once(strace, 'close')
  strace.kill()
  await ended
  const isCounted = async () => (await call('GET', 'tenants/cats')).json.stats.file_views === views
  await until(isCounted, 'all views are counted')
})

async function holdLock(path: string): Promise<AsyncDisposable> {
  const program = fileURLToPath(new URL('../support/faults/lock-holder.ts', import.meta.url))
  const child = spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    },
  }
}

interface Timed {
  answer: Answer
  ms: number
  /** Without the time that a loaded machine takes from this process. */
  ownMs: number
}

async function timed(answer: Promise<Answer>): Promise<Timed> {
  using watch = startStopwatch()
  const start = performance.now()
  return { answer: await answer, ms: performance.now() - start, ownMs: watch.ms() }
}

/** Signed calls to another server of the same installation. */
function callTo(app: TestApp, port: number) {
  return (method: string, path: string, body?: unknown) => {
    const bytes = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'x-api-key': app.key,
      'x-signature': app.sign(bytes),
      ...(bytes === '' ? {} : { 'content-type': 'application/json' }),
    }
    return sendRequest(port, method, `${managementPath}/${path}`, { bytes, headers })
  }
}
