import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { slowReader } from '../support/clients/slow-clients.ts'
import { onEachStore, sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { multipartOf, noise, type TestTenant, uploaded } from '../support/uploads.ts'

/** The ports of a server of two processes, the first one's first. */
const portsOf = ({ port, further }: TestApp) => [port, further[0]?.port ?? 0] as const

const ok = 'HTTP/1.1 200 OK'

onEachStore('two processes of a server', (store) => {
  test('have one limit of readers for an address, in whichever its connections land', async () => {
    const environment = { SERVICE_READERS_PER_ADDRESS: '2' }
    await using app = await startTestApp({ store, environment, processes: 2 })
    const cats = await app.tenant('cats')
    const { url } = await uploaded(app, cats, { file: await noise(2200, 2200) })
    const [first, second] = portsOf(app)
    for (const ports of [
      [second, second, first],
      [first, second, second],
      [first, first, second],
    ]) {
      const readers = await Promise.all(ports.slice(0, 2).map((port) => slowReader({ port, url })))
      for (const { begun } of readers) assert.equal(await begun, ok)
      const third = await slowReader({ port: ports[2] ?? 0, url })
      assert.equal(await Promise.race([third.begun, sleep(300, 'waits')]), 'waits')
      readers[0]?.socket.destroy()
      assert.equal(await third.begun, ok)
      for (const { socket } of [...readers, third]) socket.destroy()
    }
  })

  test('have one budget for uploads whose caller is not known yet, and get it back', async () => {
    const environment = {
      SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
      SERVICE_UNAUTHENTICATED_BYTES: '9M',
      SERVICE_UNAUTHENTICATED_BYTES_PER_ADDRESS: '1250K',
    }
    await using app = await startTestApp({ store, environment, processes: 2 })
    const cats = await app.tenant('cats')
    const file = await noise(600, 600)
    // Together more than the limit, also without the last quarter megabyte, for which a further process has not asked when
    // it reads the key. The spool writes half a megabyte at a time.
    const heldFile = await noise(400, 400)
    assert.ok(file.length > 1_070_000 && heldFile.length > 460_000)
    const [first, second] = portsOf(app)
    for (const [held, asked] of [
      [first, second],
      [second, first],
      [second, second],
    ] as const) {
      const unfinished = await sendMost(held, cats, heldFile)
      await until(() => spooledBytes(app) >= 450_000, 'the file is read')
      assert.equal(await sendWhole(asked, cats, file), 503)
      unfinished.destroy()
      await until(async () => (await sendWhole(asked, cats, file)) === 200, 'it is given back')
      await until(() => spooledBytes(app) === 0, 'the spool is empty')
    }
  })

  test('show every view at once, whichever counts it', async () => {
    await using app = await startTestApp({ store, processes: 2 })
    const cats = await app.tenant('cats')
    const { url_viewer: url } = await uploaded(app, cats)
    const [first, second] = portsOf(app)
    let views = 0
    for (const port of [first, second, second, first]) {
      const headers = { host: cats.hostname, accept: 'text/html', 'user-agent': 'Mozilla/5.0' }
      const page = await sendRequest(port, 'GET', new URL(url).pathname, { headers })
      views += 1
      assert.match(page.text, new RegExp(`\\b${views} views?\\b`))
    }
  })
})

const spooledBytes = ({ dataDir }: TestApp): number => {
  const spool = join(dataDir, 'spool')
  return readdirSync(spool, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(spool, name), { throwIfNoEntry: false }))
    .reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0)
}

/** A form whose key follows its file. */
const formOf = (file: Buffer, key: string) =>
  multipartOf([
    { name: 'source', value: file, fileName: 'cat.png' },
    { name: 'key', value: key },
  ])

async function sendWhole(port: number, { hostname, apiKey }: TestTenant, file: Buffer): Promise<number> {
  const { type, bytes } = formOf(Buffer.concat([file, Buffer.from(`${Math.random()}`)]), apiKey)
  const headers = { host: hostname, 'content-type': type }
  return (await sendRequest(port, 'POST', '/api/1/upload', { bytes, headers })).status
}

/** Sends all of a form but its last bytes. */
async function sendMost(port: number, { hostname, apiKey }: TestTenant, file: Buffer): Promise<Socket> {
  const { type, bytes } = formOf(file, apiKey)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  void text(socket).catch(() => undefined)
  await once(socket, 'connect')
  const head = `POST /api/1/upload HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`
  socket.write(head)
  socket.write(bytes.subarray(0, -10))
  return socket
}
