import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import * as tus from 'tus-js-client'
import { describe, test } from 'vitest'
import type { ChildServer } from '../support/child-server.ts'
import { startCluster } from '../support/cluster.ts'
import { sendRequest } from '../support/harness.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/postgres.ts'
import { padded } from '../support/resumable.ts'
import { times } from '../support/servers.ts'
import { startS3Stub } from '../support/storage-s3-stub.ts'
import { md5Of, picture } from '../support/uploads.ts'

/** Leads every connection to one of the ports, in turn, as a proxy in front of the servers does. */
async function startProxy(ports: () => readonly number[]): Promise<Server & AsyncDisposable> {
  let turn = 0
  const server = createServer((socket) => {
    turn += 1
    const all = ports()
    const to = connect(all[turn % all.length] ?? 0, '127.0.0.1')
    socket.on('error', () => to.destroy()).on('close', () => to.destroy())
    to.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.pipe(to).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const portOf = (server: Server) => (server.address() as { port: number }).port

const leastFiles = 8
const leastKills = 4

describe('two servers on one bucket and one database', { timeout: 600_000 }, () => {
  test('are killed in turn, and every upload becomes one whole file', async () => {
    await using undo = new AsyncDisposableStack()
    const stub = undo.use(await startS3Stub())
    const databaseUrl = await freshDatabaseUrl()
    undo.defer(() => dropDatabase(databaseUrl))
    const more = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }
    const cluster = undo.use(await startCluster(2, { databaseUrl, storageUrl: stub.url, more }))
    const cats = await cluster.tenant('cats')
    let alive: ChildServer[] = [...cluster.servers]
    const proxy = undo.use(await startProxy(() => alive.map(({ port }) => port)))
    const port = portOf(proxy)
    const jpeg = await picture({ format: 'jpeg' })
    const fileOf = (index: number) => padded(jpeg, 2_000_000 * (2 + (index % 8)), index + 1)

    let isOver = false
    let kills = 0
    const killing = (async () => {
      while (!isOver) {
        const started = undo.use(await cluster.start())
        const [first, ...others] = alive
        alive = [...others, started]
        first?.child.kill('SIGKILL')
        kills += 1
      }
    })()
    const upload = (bytes: Buffer): Promise<string> => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const sending = new tus.Upload(bytes, {
        endpoint: `http://127.0.0.1:${port}/api/5/uploads`,
        headers: { host: cats.hostname, 'x-api-key': cats.apiKey, connection: 'close' },
        metadata: { filename: 'cat.jpg' },
        chunkSize: 3_000_000,
        // Longer than the lease of a server that was killed while it made the file.
        retryDelays: times(120, () => 500),
        onError: reject,
        onSuccess: () => resolve(sending.url ?? ''),
      })
      sending.start()
      return promise
    }
    const urls: string[] = []
    try {
      while (urls.length < leastFiles || kills < leastKills)
        urls.push(...(await Promise.all(times(2, (index) => upload(fileOf(urls.length + index))))))
    } finally {
      isOver = true
      await killing
    }
    console.log(`${urls.length} files, ${kills} kills`)
    const [server] = alive
    const ask = (path: string) =>
      sendRequest(server?.port ?? 0, 'GET', path, {
        headers: { host: cats.hostname, 'x-api-key': cats.apiKey },
      })
    for (const [index, url] of urls.entries()) {
      const { status, json, text } = await ask(new URL(url).pathname)
      assert.equal(status, 200, text)
      assert.equal(json.md5, md5Of(fileOf(index)))
    }
    assert.equal((await cluster.stats('cats')).files, urls.length)
  })
})
