import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'vitest'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { sendRequest, startTestApp } from '../support/harness.ts'
import { jobRowOf } from '../support/jobs.ts'
import { startChildServer } from '../support/servers/child-server.ts'
import { until } from '../support/until.ts'
import { multipartOf, onSiteOf, picture, statsOf, type TestTenant } from '../support/uploads.ts'

/** The messages of an upload that come last: the commit of its row, the stats of the site, and the notice. */
const lastMessages = 4

test('a server that is killed between an upload and its report is made up for, with the time at which the file expires', async () => {
  await using app = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(app.environment.SERVICE_DATABASE_URL))
  const cats = await app.tenant('cats')
  const environment = { ...app.environment, SERVICE_DATABASE_URL: proxy.url, SERVICE_JOBS: '0' }
  const count = await messagesOf(environment, cats, proxy)
  const killed = { stored: 0, acknowledged: 0 }
  for (let number = count - lastMessages + 1; number <= count; number += 1) {
    const before = await filesOf(app, cats)
    await using server = await startChildServer(environment)
    await sendUpload(server.port, cats, number)
    const closed = once(server.child, 'close')
    proxy.onMessage(number, () => server.child.kill('SIGKILL'))
    const isAnswered = await sendUpload(server.port, cats, 100 + number).then(
      ({ status }) => status === 200,
      () => false,
    )
    await closed
    const stored = (await filesOf(app, cats)) - before - 1
    killed.stored += stored
    killed.acknowledged += Number(isAnswered)
    if (isAnswered) assert.equal(stored, 1)
    // The next server goes through the sites, and reports what was not.
    await using next = await startChildServer({ ...environment, SERVICE_JOBS: '1' })
    const isRight = async () => (await statsOf(app, cats)).files === before + 1 + stored
    await until(isRight, `${before + 1 + stored} files are counted after a kill at message ${number}`)
    const dueAt = await firstExpiry(app, cats)
    await until(
      async () => (await jobRowOf(app, cats))?.dueAt === dueAt,
      'the time of the first one is known',
    )
    assert.ok(next.child.exitCode === null)
  }
  console.log(`killed at the last ${lastMessages} of ${count} messages: ${JSON.stringify(killed)}`)
  assert.ok(killed.stored > 0 && killed.stored <= lastMessages)
}, 400_000)

type App = Awaited<ReturnType<typeof startTestApp>>
type Proxy = Awaited<ReturnType<typeof startPostgresProxy>>

/** How many messages an upload sends when nobody interferes. */
async function messagesOf(
  environment: Record<string, string>,
  cats: TestTenant,
  proxy: Proxy,
): Promise<number> {
  await using server = await startChildServer(environment)
  await sendUpload(server.port, cats, 201)
  const before = proxy.messages()
  assert.equal((await sendUpload(server.port, cats, 202)).status, 200)
  return proxy.messages() - before
}

async function sendUpload(port: number, { hostname, apiKey }: TestTenant, seed: number) {
  const file = await picture({ width: 30, height: 20, seed })
  const expiration = { name: 'expiration', value: seed > 100 ? 'P1D' : 'P2D' }
  const form = multipartOf([expiration, { name: 'source', value: file, fileName: 'cat.png' }])
  const headers = { host: hostname, 'x-api-key': apiKey, 'content-type': form.type }
  return sendRequest(port, 'POST', '/api/1/upload', { bytes: form.bytes, headers })
}

const filesOf = (app: App, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => (await db.selectFrom('file').select('id').execute()).length)

const firstExpiry = (app: App, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => {
    const row = await db.selectFrom('file').select('expiresAt').orderBy('expiresAt').executeTakeFirst()
    return row?.expiresAt
  })
