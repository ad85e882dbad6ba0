import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { tally, times } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import { multipartOf, noise, onSiteOf, set, type TestTenant, upload } from '../support/uploads.ts'

const minutes = { timeout: 300_000 }
const spooled = (app: TestApp) => readdirSync(join(app.dataDir, 'spool'))

test('sixty small pictures at once wait for their turn, and none is refused', minutes, async () => {
  await using app = await startTestApp()
  const tenants = [await app.tenant('cats'), await app.tenant('dogs')] as const
  const file = await noise(64, 48)
  const sent = times(60, (place) => upload(app, tenants[place % 20 === 0 ? 1 : 0], { file }))
  assert.deepEqual(tally(await Promise.all(sent)), { 200: 60 })
  await until(() => spooled(app).length === 0, 'the spool is empty')
})

test('nothing is decoded for a caller who left while waiting, and nothing stays of it', minutes, async () => {
  await using app = await startTestApp({ hasOwnDecoders: true })
  const cats = await app.tenant('cats')
  await set(app, cats, { flood_user_day: '1000' })
  const file = await noise(64, 48)
  const many = availableParallelism()
  await Promise.all(times(4 * many, () => upload(app, cats, { file })))
  const before = await rowsOf(app, cats)

  // Decoders that have no time for anything.
  const { pids } = app.app.imaging
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const sockets = await Promise.all(times(many + 3, () => send(app, cats, file)))
  await until(() => app.app.imaging.waiting >= 3, 'some wait for a decoder')
  for (const socket of sockets) socket.destroy()
  await until(() => app.app.imaging.waiting === 0, 'none waits any more')
  await until(() => spooled(app).length <= many, 'the files of those who waited are gone')
  for (const pid of app.app.imaging.pids) process.kill(pid, 'SIGCONT')
  await until(() => spooled(app).length === 0, 'the spool is empty')

  const after = await rowsOf(app, cats)
  assert.equal(after.files, before.files, 'nothing was stored for callers who had left')
  assert.ok(after.marks - before.marks <= many, 'who left while waiting has cost no work')
  assert.equal((await upload(app, cats, { file })).status, 200)
})

/** Sends a whole upload, and does not wait for its answer. */
async function send(app: TestApp, tenant: TestTenant, file: Buffer): Promise<Socket> {
  const { type, bytes } = multipartOf([{ name: 'source', value: file, fileName: 'cat.png' }])
  const socket = connect(app.port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const head = [
    'POST /api/1/upload HTTP/1.1',
    `Host: ${tenant.hostname}`,
    `X-API-Key: ${tenant.apiKey}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
    '',
    '',
  ].join('\r\n')
  await new Promise((sent) => socket.write(Buffer.concat([Buffer.from(head), bytes]), sent))
  return socket
}

const rowsOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => ({
    files: (await db.selectFrom('file').select('id').execute()).length,
    marks: (await db.selectFrom('rateLimitHit').select('id').execute()).length,
  }))
