import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { allTotals } from '../../src/site/index.ts'
import { slowReader } from '../support/clients/slow-clients.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { startServers, times } from '../support/servers/several-servers.ts'
import { limit, noise, onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'

const minutes = { timeout: 600_000 }
const room = 400_000
const widths = [320, 500, 640, 960] as const

const derivedOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db, storage }) => {
    const rows = await db.selectFrom('derived').selectAll().execute()
    const stored = (await storage.list('', undefined, 10_000)).filter(({ key }) => key.startsWith('derived/'))
    const sizeOf = (all: readonly { sizeBytes: number }[]) =>
      all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return { rows, rowBytes: sizeOf(rows), storedBytes: sizeOf(stored) }
  })

/** Asks for more pictures than fit, on all ports at once, and looks at the total meanwhile. */
async function assertBudget(app: TestApp, ports: readonly number[]): Promise<void> {
  const cats = await app.tenant('cats')
  const files = [await noise(1000, 700), await noise(1001, 700), await noise(1002, 700)]
  const urls = await Promise.all(files.map(async (file) => (await uploaded(app, cats, { file })).url))
  await limit(app, cats, { SERVICE_MAX_DERIVED: String(room) })
  let isOver = false
  let most = 0
  const watch = async () => {
    while (!isOver) {
      const { derivedBytes } = await onSiteOf(app, cats, ({ db }) => allTotals(db))
      most = Math.max(most, derivedBytes)
      await doDueJobs(app, cats)
    }
  }
  const watching = watch()
  const readers = times(9, async (reader) => {
    for (let turn = 0; turn < 16; turn += 1) {
      const width = widths[(turn * 7 + reader) % widths.length] ?? 320
      const port = ports[(turn + reader) % ports.length] as number
      const url = `${urls[(turn + reader * 2) % urls.length]}?width=${width}&format=jpeg`
      const { status, bytes } = await ask({ port }, url)
      assert.equal(status, 200)
      const { channels } = await sharp(bytes, { failOn: 'warning' }).stats()
      assert.deepEqual([channels.length, (await sharp(bytes).metadata()).width], [3, width])
    }
  })
  await Promise.all(readers).finally(() => {
    isOver = true
  })
  await watching
  assert.ok(most > 0 && most <= room, `at most ${most} bytes`)
  await doDueJobs(app, cats)
  const { rows, rowBytes, storedBytes } = await derivedOf(app, cats)
  const { derivedBytes } = await onSiteOf(app, cats, ({ db }) => allTotals(db))
  assert.deepEqual([rowBytes, storedBytes], [derivedBytes, derivedBytes])
  assert.equal(new Set(rows.map(({ fileId, options }) => `${fileId} ${options}`)).size, rows.length)
}

test('two servers hold the budget while pictures are made, sent and evicted', minutes, async () => {
  await using servers = await startServers('postgres')
  await assertBudget(
    servers.first,
    servers.all.map(({ port }) => port),
  )
})

test('two processes of a server hold it, too', minutes, async () => {
  await using app = await startTestApp({ processes: 2 })
  await assertBudget(app, [app.port, ...app.further.map(({ port }) => port)])
})

test('a picture that is evicted while a slow reader has it arrives whole', minutes, async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const { url } = await uploaded(app, cats, { file: await noise(2600, 2600) })
  const address = `${url}?width=2560&format=png`
  const first = await ask(app, address)
  assert.ok(first.bytes.length > 12_000_000, `${first.bytes.length} bytes`)
  const reader = await slowReader({ port: app.port, url: address })
  assert.equal(await reader.begun, 'HTTP/1.1 200 OK')
  await limit(app, cats, { SERVICE_MAX_DERIVED: '1' })
  await ask(app, `${url}?width=320&format=webp`)
  await doDueJobs(app, cats)
  assert.equal((await derivedOf(app, cats)).storedBytes, 0)
  assert.ok((await reader.readSteadily(50_000_000)) >= first.bytes.length)
})
