import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import * as tus from 'tus-js-client'
import { describe, test } from 'vitest'
import { padded } from '../support/clients/resumable.ts'
import { sendRequest } from '../support/harness.ts'
import type { ChildServer } from '../support/servers/child-server.ts'
import { startCluster } from '../support/servers/cluster.ts'
import { times } from '../support/servers/several-servers.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { until } from '../support/until.ts'
import { md5Of, picture } from '../support/uploads.ts'

/** Leads every connection to one of the ports, in turn, as a proxy in front of the servers does. */
async function startProxy(
  ports: () => readonly number[],
): Promise<Server & AsyncDisposable & { cut: () => void }> {
  let turn = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    turn += 1
    sockets.add(socket)
    const all = ports()
    const to = connect(all[turn % all.length] ?? 0, '127.0.0.1')
    socket.on('error', () => to.destroy()).on('close', () => to.destroy())
    to.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.pipe(to).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return Object.assign(server, { cut })
}

const portOf = (server: Server) => (server.address() as { port: number }).port

/** Two servers behind a proxy, which leads to those that are in `alive`. */
async function startScene() {
  await using undo = new AsyncDisposableStack()
  const stub = undo.use(await startS3Stub())
  const databaseUrl = await freshDatabaseUrl()
  undo.defer(() => dropDatabase(databaseUrl))
  const more = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }
  const cluster = undo.use(await startCluster(2, { databaseUrl, storageUrl: stub.url, more }))
  const cats = await cluster.tenant('cats')
  const scene = { alive: [...cluster.servers] }
  const proxy = undo.use(await startProxy(() => scene.alive.map(({ port }) => port)))
  const headers = { host: cats.hostname, 'x-api-key': cats.apiKey }
  const all = undo.move()
  return Object.assign(scene, {
    stub,
    cluster,
    cut: proxy.cut,
    /** What a client needs to know. */
    options: {
      endpoint: `http://127.0.0.1:${portOf(proxy)}/api/5/uploads`,
      headers: { ...headers, connection: 'close' },
      metadata: { filename: 'cat.jpg' },
      chunkSize: 3_000_000,
    },
    async checkFile(url: string, bytes: Buffer) {
      const { pathname } = new URL(url)
      const { status, json, text } = await sendRequest(scene.alive[0]?.port ?? 0, 'GET', pathname, {
        headers,
      })
      assert.equal(status, 200, text)
      assert.equal(json.md5, md5Of(bytes))
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  })
}

/** A client as people use it: it follows no rule of ours, and asks again after each of these delays. */
function uploadWith(retryDelays: number[], bytes: Buffer, options: tus.UploadOptions): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const onSuccess = () => resolve(sending.url ?? '')
  const sending = new tus.Upload(bytes, { ...options, retryDelays, onError: reject, onSuccess })
  sending.start()
  return promise
}

const leastFiles = 8
const leastKills = 4

describe('two servers on one bucket and one database', { timeout: 600_000 }, () => {
  test('are killed in turn, and every upload becomes one whole file', async () => {
    await using undo = new AsyncDisposableStack()
    const scene = undo.use(await startScene())
    const { cluster, options } = scene
    const jpeg = await picture({ format: 'jpeg' })
    const fileOf = (index: number) => padded(jpeg, 2_000_000 * (2 + (index % 8)), index + 1)

    let isOver = false
    let kills = 0
    let chunks = 0
    const killing = (async () => {
      while (!isOver) {
        const known = chunks
        const started: ChildServer = undo.use(await cluster.start())
        // On a busy machine, servers that are killed faster than a part is stored would let no upload end.
        while (chunks === known && !isOver) await pause(20)
        const [first, ...others] = scene.alive
        scene.alive = [...others, started]
        first?.child.kill('SIGKILL')
        kills += 1
      }
    })()
    const urls: string[] = []
    const delays = times(60, () => 700)
    const onChunkComplete = () => {
      chunks += 1
    }
    const uploadNext = (index: number) =>
      uploadWith(delays, fileOf(urls.length + index), { ...options, onChunkComplete })
    try {
      while (urls.length < leastFiles || kills < leastKills)
        urls.push(...(await Promise.all(times(2, uploadNext))))
    } finally {
      isOver = true
      await killing
    }
    console.log(`${urls.length} files, ${kills} kills`)
    for (const [index, url] of urls.entries()) await scene.checkFile(url, fileOf(index))
    assert.equal((await cluster.stats('cats')).files, urls.length)
  })

  test('if one is killed while it makes a file, a client gets through within four tries of 0.7 s', async () => {
    await using scene = await startScene()
    const [first, second] = scene.cluster.servers
    assert.ok(first && second)
    scene.alive = [first]
    // A server reads pieces when it makes the file.
    scene.stub.setFault(({ action, key }) => {
      if (first.child.killed || action !== 'get' || !key.includes('partial/')) return undefined
      scene.alive = [second]
      first.child.kill('SIGKILL')
      return 'hangBefore'
    })
    const bytes = padded(await picture({ format: 'jpeg' }), 4_000_000)
    const url = await uploadWith(
      times(4, () => 700),
      bytes,
      scene.options,
    )
    await scene.checkFile(url, bytes)
    assert.ok(first.child.killed)
    assert.equal((await scene.cluster.stats('cats')).files, 1)
  })

  test('one that is paused while it makes a file, and goes on later, stores no second one', async () => {
    await using scene = await startScene()
    const [first, second] = scene.cluster.servers
    assert.ok(first && second)
    scene.alive = [first]
    let isPaused = false
    scene.stub.setFault(({ action, key }) => {
      if (isPaused || action !== 'get' || !key.includes('partial/')) return undefined
      isPaused = true
      scene.alive = [second]
      first.child.kill('SIGSTOP')
      scene.cut()
      return undefined
    })
    const bytes = padded(await picture({ format: 'jpeg' }), 4_000_000)
    const url = await uploadWith(
      times(4, () => 700),
      bytes,
      scene.options,
    ).finally(() => first.child.kill('SIGCONT'))
    assert.ok(isPaused)
    const { objects } = scene.stub
    const stored = () => [...objects.keys()].filter((key) => key.includes('/images/')).sort()
    const ofFile = stored()
    // It goes on with its work, and takes back what it has put.
    await until(() => stored().length > ofFile.length, 'The paused server has put its file')
    await until(() => stored().length === ofFile.length, 'The paused server has removed its file')
    assert.deepEqual(stored(), ofFile)
    await scene.checkFile(url, bytes)
    assert.equal((await scene.cluster.stats('cats')).files, 1)
  })
})
