import assert from 'node:assert/strict'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { MovingQueue } from '../../src/lib/concurrency/moving-queue.ts'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { onBothStores, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'

/** Makes each change take so long that a hundred take longer than a single one may wait for its lock. */
async function slowDown(store: StoreKind, app: TestApp, undo: AsyncDisposableStack): Promise<TestApp> {
  if (store === 'sqlite') {
    const other = new Database(join(app.dataDir, 'control.db'), { timeout: 0 })
    let timer = setTimeout(hold, 0)
    function hold(): void {
      try {
        other.exec('begin immediate')
      } catch {
        // A tenant is being written.
        timer = setTimeout(hold, 1)
        return
      }
      timer = setTimeout(letGo, 100)
    }
    function letGo(): void {
      other.exec('commit')
      timer = setTimeout(hold, 25)
    }
    undo.defer(() => {
      clearTimeout(timer)
      other.close()
    })
    return app
  }
  const proxy = undo.use(await startPostgresProxy(String(app.environment.SERVICE_DATABASE_URL)))
  const there = await startTestApp({ beside: app, environment: { SERVICE_DATABASE_URL: proxy.url } })
  proxy.delay(12)
  return undo.use(there)
}

onBothStores('a hundred tenants that are created at once', (store) => {
  test('are all created, while the database is slow', async () => {
    await using undo = new AsyncDisposableStack()
    const app = undo.use(await startTestApp({ store }))
    const slow = await slowDown(store, app, undo)
    const ids = Array.from({ length: 100 }, (_, index) => `t${index}`)
    const answers = await Promise.all(
      ids.map((id) => slow.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })),
    )
    const others = answers.filter(({ status }) => status !== 201)
    assert.deepEqual(
      others.map(({ status, text }) => `${status} ${text}`),
      [],
    )
    const { json } = await app.call('GET', 'tenants')
    assert.equal(json.length, 100)
  }, 120_000)
})

test('a queue that moves is waited for in order; one that is stalled or too long is refused', async () => {
  const queue = new MovingQueue({
    slots: 1,
    mostWaiting: 3,
    stalledAfterMs: 60,
    refusal: (reason) => new Error(reason),
  })
  const first = await queue.acquire()
  const order: number[] = []
  const rest = [1, 2, 3].map(async (number) => {
    const slot = await queue.acquire()
    order.push(number)
    return slot
  })
  await expect(queue.acquire()).rejects.toThrow('3 others wait already.')
  first.moved()
  first.release()
  first.release()
  const second = await rest[0]
  second?.moved()
  second?.release()
  await rest[1]
  // The second never moves and never ends.
  await expect(rest[2]).rejects.toThrow('has not moved')
  assert.deepEqual(order, [1, 2])
})
