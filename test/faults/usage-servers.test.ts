import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'vitest'
import { type Answer, sendRequest } from '../support/harness.ts'
import type { ChildServer } from '../support/servers/child-server.ts'
import { startCluster } from '../support/servers/cluster.ts'
import { times } from '../support/servers/several-servers.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { until } from '../support/until.ts'
import { multipartOf, picture, type TestTenant } from '../support/uploads.ts'

type Counts = Record<'uploads' | 'upload_bytes' | 'downloads' | 'traffic_bytes' | 'views', number>

const nothing: Counts = { uploads: 0, upload_bytes: 0, downloads: 0, traffic_bytes: 0, views: 0 }
const names = Object.keys(nothing) as (keyof Counts)[]

const sumOf = (all: readonly Counts[]): Counts =>
  Object.fromEntries(names.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)])) as Counts

/** What a visitor and a user do at one server, counted as they see it. */
async function visit(server: ChildServer, tenant: TestTenant, seed: number): Promise<Counts> {
  const done = { ...nothing }
  const headers = { host: tenant.hostname, 'x-api-key': tenant.apiKey }
  const bytes = await picture({ width: 200, height: 150, seed })
  const form = multipartOf([{ name: 'source', value: bytes, fileName: `cat-${seed}.png` }])
  const upload = await sendRequest(server.port, 'POST', '/api/1/upload', {
    bytes: form.bytes,
    headers: { ...headers, 'content-type': form.type },
  })
  assert.equal(upload.status, 200, upload.text)
  done.uploads += 1
  done.upload_bytes += bytes.length
  const { url, url_viewer, thumb } = upload.json.image
  const get = async (address: string, more = {}): Promise<Answer> => {
    const { pathname } = new URL(address)
    const answer = await sendRequest(server.port, 'GET', pathname, {
      headers: { host: tenant.hostname, ...more },
    })
    assert.ok(answer.status === 200 || answer.status === 206, `${address}: ${answer.status}`)
    return answer
  }
  for (const [address, range, isDownload] of [
    [url, undefined, true],
    [url, 'bytes=0-99', true],
    [url, 'bytes=100-149', false],
    [thumb.url, undefined, false],
  ] as const) {
    const { headers: answered } = await get(address, range === undefined ? {} : { range })
    done.downloads += Number(isDownload)
    done.traffic_bytes += Number(answered['content-length'])
  }
  await get(url_viewer, { accept: 'text/html' })
  done.views += 1
  return done
}

test('the usage of a site is what its visitors did at two servers; a killed server forgets only what it had not reported', async () => {
  await using undo = new AsyncDisposableStack()
  const bucket = undo.use(await startS3Stub())
  const databaseUrl = await freshDatabaseUrl()
  undo.defer(() => dropDatabase(databaseUrl))
  const more = { SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0', SERVICE_RATE_READS: '0' }
  const cluster = undo.use(await startCluster(2, { databaseUrl, storageUrl: bucket.url, more }))
  const cats = await cluster.tenant('cats')
  const [killed, stopped] = cluster.servers
  assert.ok(killed && stopped)
  const usage = async (): Promise<Counts & Record<'files' | 'storage_bytes', number>> => {
    const [row] = (await cluster.tool('tenants', 'usage', '--id', 'cats', '--step', 'total')).data
    return row
  }
  const shown = async () => {
    const row = await usage()
    return Object.fromEntries(names.map((name) => [name, row[name]]))
  }

  const visits = await Promise.all(times(10, (index) => visit(index % 2 ? killed : stopped, cats, index)))
  const reported = sumOf(visits)
  await until(
    async () => JSON.stringify(await shown()) === JSON.stringify(reported),
    `the usage becomes ${JSON.stringify(reported)}`,
  )

  const lost = sumOf(await Promise.all(times(5, (index) => visit(killed, cats, 20 + index))))
  killed.child.kill('SIGKILL')
  await once(killed.child, 'close')
  const kept = sumOf(await Promise.all(times(5, (index) => visit(stopped, cats, 30 + index))))
  stopped.child.kill('SIGTERM')
  await once(stopped.child, 'close')

  const [least, most] = [sumOf([reported, kept]), sumOf([reported, kept, lost])]
  const row = await usage()
  // Counted in the transaction of the upload.
  for (const name of ['uploads', 'upload_bytes'] as const) assert.equal(row[name], most[name], name)
  for (const name of names)
    assert.ok(
      least[name] <= row[name] && row[name] <= most[name],
      `${name}: ${JSON.stringify({ row, least, most })}`,
    )
  const stats = await cluster.stats('cats')
  assert.deepEqual([row.files, row.storage_bytes], [stats.files, stats.storage_used])
  assert.equal(row.files, 20)
}, 240_000)
