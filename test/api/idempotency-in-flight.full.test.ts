import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, upload } from '../support/uploads.ts'

const headers = { 'idempotency-key': 'one' }

/** Two servers of one installation. The database is far away from the slow one, whose requests take over ten seconds. */
async function startSlowAndQuick() {
  await using undo = new AsyncDisposableStack()
  const quick = undo.use(await startTestApp({ store: 'postgres' }))
  const proxy = undo.use(await startPostgresProxy(String(quick.environment.SERVICE_DATABASE_URL)))
  const slow = undo.use(
    await startTestApp({ beside: quick, environment: { SERVICE_DATABASE_URL: proxy.url } }),
  )
  const owned = undo.move()
  return { quick, slow, proxy, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

describe('an equal request that comes while the first one runs', () => {
  test('waits for a tenant for ten seconds, then it is 409; afterwards it gets the answer', async () => {
    await using servers = await startSlowAndQuick()
    const { quick, slow, proxy } = servers
    const { control } = quick.app.control.store
    const body = { id: 'cats', hostname: 'cats.test', is_enabled: true }
    const post = (app: TestApp) => app.call('POST', 'tenants', body, { ...headers, 'x-api-key': quick.key })
    proxy.delay(200)
    const making = post(slow)
    await until(
      async () => (await control.selectFrom('keptAnswer').select('key').execute()).length === 1,
      'the call runs',
    )
    proxy.delay(8_000)
    const { status, json } = await post(quick)
    assert.equal(status, 409)
    assert.match(json.error.message, /still running/)
    proxy.delay(0)
    const made = await making
    assert.equal(made.status, 201, made.text)
    const again = await post(quick)
    assert.deepEqual(
      [again.status, again.text, again.headers['idempotency-replayed']],
      [201, made.text, 'true'],
    )
  })

  test('waits for an upload in the same way', async () => {
    await using servers = await startSlowAndQuick()
    const { quick, slow, proxy } = servers
    const cats = await quick.tenant('cats')
    const file = await picture({ seed: 1 })
    const post = (app: TestApp) => upload(app, cats, { file, headers })
    await until(async () => (await upload(slow, cats, { file })).status === 200, 'the site is known')
    proxy.delay(200)
    const storing = post(slow)
    await until(
      () =>
        onSiteOf(
          quick,
          cats,
          async ({ db }) => (await db.selectFrom('idempotencyKey').select('key').execute()).length === 1,
        ),
      'the upload runs',
    )
    proxy.delay(8_000)
    assert.equal((await post(quick)).status, 409)
    proxy.delay(0)
    const stored = await storing
    assert.equal(stored.status, 200, stored.text)
    const again = await post(quick)
    assert.deepEqual(
      [again.status, again.text, again.headers['idempotency-replayed']],
      [200, stored.text, 'true'],
    )
  })
})
