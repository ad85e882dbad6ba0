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
    ...{ stub, cluster },
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

/** A client with the delays of the library: it gives up nine seconds after the first failure. */
function uploadAsUsual(bytes: Buffer, options: tus.UploadOptions): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const onSuccess = () => resolve(sending.url ?? '')
  const sending = new tus.Upload(bytes, { ...options, onError: reject, onSuccess })
  sending.start()
  return promise
}

/** A client that asks again as long as a server makes the file: each server that does may be killed. */
function uploadPatiently(bytes: Buffer, options: tus.UploadOptions): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sending = new tus.Upload(bytes, {
    ...options,
    // For connections that a kill has cut.
    retryDelays: times(120, () => 500),
    onShouldRetry: ({ originalResponse }) => {
      const status = originalResponse?.getStatus() ?? 0
      return status === 0 || status === 409 || status >= 500
    },
    onError: (error) => {
      const answer = 'originalResponse' in error ? error.originalResponse : undefined
      if (answer?.getStatus() !== 423) return reject(error)
      setTimeout(() => sending.start(), Number(answer.getHeader('Retry-After')) * 1_000)
    },
    onSuccess: () => resolve(sending.url ?? ''),
  })
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
    const killing = (async () => {
      while (!isOver) {
        const started: ChildServer = undo.use(await cluster.start())
        const [first, ...others] = scene.alive
        scene.alive = [...others, started]
        first?.child.kill('SIGKILL')
        kills += 1
      }
    })()
    const urls: string[] = []
    const uploadNext = (index: number) => uploadPatiently(fileOf(urls.length + index), options)
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

  test('if one is killed while it makes a file, the usual client does not give up', async () => {
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
    await scene.checkFile(await uploadAsUsual(bytes, scene.options), bytes)
    assert.ok(first.child.killed)
    assert.equal((await scene.cluster.stats('cats')).files, 1)
  })
})
