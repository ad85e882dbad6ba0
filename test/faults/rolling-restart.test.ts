import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'
import {
  type Acknowledged,
  assertNoneDoubled,
  assertServed,
  countsOf,
  sha256Of,
  uploadLoad,
} from '../support/clients/upload-load.ts'
import { needing } from '../support/needs.ts'
import type { ChildServer } from '../support/servers/child-server.ts'
import { bugsOf, startCluster } from '../support/servers/cluster.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { until } from '../support/until.ts'
import { multipartOf, picture, type TestTenant } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

const rounds = 20

bucketed.describe('two servers that are restarted in turn, under load', () => {
  test(`${rounds} times: finish what they have begun to read, lose nothing, and end with 0`, async () => {
    if (radosgw === undefined) return
    const databaseUrl = await freshDatabaseUrl()
    await using undo = new AsyncDisposableStack()
    undo.defer(() => dropDatabase(databaseUrl))
    const bucket = await freshBucket(radosgw)
    const cluster = undo.use(await startCluster(2, { databaseUrl, storageUrl: bucket.url }))
    const cats = await cluster.tenant('cats')
    const slots = [...cluster.servers]
    undo.defer(() => Promise.all(slots.map((server) => server[Symbol.asyncDispose]())).then(() => undefined))
    const seen = { acknowledged: 0, refused: 0 }
    let isOver = false
    const load = uploadLoad({
      tenant: cats,
      server: (turn) => slots[turn % 2] as ChildServer,
      clients: 3,
      isOver: () => isOver,
      seen,
      // Not accepted any more: a proxy goes to the other one. What was stored nevertheless would be counted below.
      mayBreak: ({ code }) => code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE',
    })
    const begun: Acknowledged[] = []
    const ended: ChildServer[] = []
    try {
      for (let round = 0; round < rounds; round += 1) {
        const old = slots[round % 2] as ChildServer
        const before = seen.acknowledged
        await until(() => seen.acknowledged >= before + 3, 'uploads are acknowledged')
        const uploads = await Promise.all([0, 1, 2].map((each) => beginUpload(old, cats, round * 3 + each)))
        old.child.kill('SIGTERM')
        await until(() => isClosed(old), 'it takes no more connections')
        begun.push(...(await Promise.all(uploads.map((upload) => upload.finish()))))
        if (old.child.exitCode === null && old.child.signalCode === null) await once(old.child, 'close')
        assert.deepEqual([old.child.exitCode, old.child.signalCode], [0, null], old.output())
        assert.deepEqual(bugsOf([old]), [])
        ended.push(old)
        slots[round % 2] = await cluster.start()
      }
    } finally {
      isOver = true
    }
    const { acknowledged, refused, broken } = await load
    const all = [...acknowledged, ...begun]
    console.log(`${all.length} acknowledged, ${broken} not accepted`)
    const logs = [...ended, ...slots].map((server) => server.output()).join('')
    assert.deepEqual(refused, [], `${refused.map(({ text }) => text).join('\n')}\n${logs}`)
    assert.equal(begun.length, rounds * 3)
    assertNoneDoubled(all)
    await assertServed(slots, all)
    const { files, storage_used } = await cluster.stats(cats.id)
    assert.deepEqual({ files, storage_used }, countsOf(all))
  }, 300_000)
})

const isClosed = ({ port }: ChildServer): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/_/health/live`, { headers: { connection: 'close' } }).then(
    () => false,
    () => true,
  )

/** An upload that the server has begun to read, by its own word, and whose end is sent when told to. */
async function beginUpload(server: ChildServer, { hostname, apiKey }: TestTenant, seed: number) {
  const file = await picture({ width: 33, height: 21, seed: seed + 1 })
  const { type, bytes } = multipartOf([{ name: 'source', value: file, fileName: 'slow.png' }])
  const outgoing: ClientRequest = request({
    host: '127.0.0.1',
    port: server.port,
    method: 'POST',
    path: '/api/1/upload',
    agent: false,
    headers: {
      host: hostname,
      'x-api-key': apiKey,
      'content-type': type,
      'content-length': String(bytes.length),
      expect: '100-continue',
    },
  })
  const answered = once(outgoing, 'response')
  // Looked at in `finish`; until then nobody listens.
  answered.catch(() => undefined)
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.write(bytes.subarray(0, bytes.length / 2))
  return {
    async finish(): Promise<Acknowledged> {
      outgoing.end(bytes.subarray(bytes.length / 2))
      const [incoming]: IncomingMessage[] = await answered
      const body = await text(incoming as IncomingMessage)
      assert.equal(incoming?.statusCode, 200, body)
      return { image: JSON.parse(body).image, sha256: sha256Of(file) }
    },
  }
}
