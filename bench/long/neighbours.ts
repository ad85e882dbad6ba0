import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { startPostgres } from '../../test/support/stores/postgres-server.ts'
import { startRadosgwServer } from '../../test/support/stores/radosgw-server.ts'
import { drawPhoto } from '../photos.ts'
import { peakOfTree } from '../processes.ts'
import { type Line, print } from '../report.ts'
import { type Answer, ask, readUploaded, type Uploaded, upload, uploadUrl } from './client.ts'
import { openSlowReaders, startSilentNameServer, startSlowProxy } from './faults.ts'
import { type Installation, openInstallation, type Tenant } from './installation.ts'

const idleMinutes = 3
const mixedMinutes = Number(process.env.LONG_RUN_MINUTES ?? 30)
const slowReaders = 300

/** What a calm tenant does, and how long each took. */
type Times = Record<'page' | 'thumb' | 'upload', number[]>

/** Three tenants with little traffic, first alone, then while other tenants cause every kind of load: they must not be affected. */
export async function runNeighbours(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-neighbours-'))
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const names = undo.use(await startSilentNameServer())
  const installation = undo.use(
    await openInstallation({
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_DNS_SERVERS: `127.0.0.1:${names.port}`,
    }),
  )
  const calm = await Promise.all(['ants', 'bees', 'cats'].map((id) => installation.tenant(id)))
  const statuses = new Map<string, number>()
  const count = (what: string, { status }: Answer) => {
    const key = `${what} ${status}`
    statuses.set(key, (statuses.get(key) ?? 0) + 1)
  }

  const idle = await watch(installation, calm, idleMinutes * 60_000)
  const troubles = await openTroubles({ installation, folder, undo })
  const over = new AbortController()
  const running = troubles.map(({ what, work }) => repeat(over.signal, async () => count(what, await work())))
  const readers = undo.use(openSlowReaders(installation.port, slowReaders, await largeRequest(installation)))
  const mixed = await watch(installation, calm, mixedMinutes * 60_000)
  over.abort()
  await Promise.all(running)

  const ended = readers.ended()
  const peak = peakOfTree(installation.pid())
  const stopped = await installation.stop()
  const { code } = await installation.tool('doctor', '--json')
  print(`${mixedMinutes} minutes of trouble, p50 and p99 of the calm tenants in milliseconds`, [
    ...(['page', 'thumb', 'upload'] as const).map((what) => compared(what, idle[what], mixed[what])),
    { what: 'slow readers that were hung up on', measured: String(ended) },
    { what: 'silent name server, questions', measured: String(names.questions()) },
    { what: 'most memory, server and decoders', measured: `${(peak / 1e6).toFixed(0)} MB` },
    { what: 'SIGTERM', measured: `exit ${stopped.code}, ${(stopped.milliseconds / 1_000).toFixed(1)} s` },
    { what: 'exit code of doctor', measured: String(code) },
    ...[...statuses].toSorted().map(([what, times]) => ({ what, measured: String(times) })),
  ])
}

function compared(what: string, idle: readonly number[], mixed: readonly number[]): Line {
  const of = (times: readonly number[]) => `${percentile(times, 0.5)} / ${percentile(times, 0.99)}`
  return { what: `${what} (${mixed.length})`, measured: `idle ${of(idle)}, mixed ${of(mixed)}` }
}

function percentile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((one, two) => one - two)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)
}

/** Each calm tenant uploads every other second, and a person looks at a page and its thumb twice a second. */
async function watch(installation: Installation, calm: readonly Tenant[], ms: number): Promise<Times> {
  const times: Times = { page: [], thumb: [], upload: [] }
  const over = AbortSignal.timeout(ms)
  await Promise.all(
    calm.map(async (tenant, lane) => {
      let known: Uploaded | undefined
      let turn = 0
      await repeat(over, async () => {
        if (turn % 4 === 0) {
          const answer = await upload(installation.port, tenant, await drawPicture(lane, turn))
          expect(answer, `an upload of ${tenant.id}`)
          times.upload.push(answer.milliseconds)
          known = readUploaded(answer)
        }
        turn += 1
        for (const what of ['page', 'thumb'] as const) {
          const answer = await ask(installation.port, tenant.host, known?.[what] ?? '/')
          expect(answer, `the ${what} of ${tenant.id}`)
          times[what].push(answer.milliseconds)
        }
        await sleep(500)
      })
    }),
  )
  return times
}

/** A calm tenant is always served. */
function expect({ status, bytes }: Answer, what: string): void {
  if (status !== 200) throw new Error(`${what} was answered ${status}: ${bytes.toString().slice(0, 300)}`)
}

async function repeat(over: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!over.aborted) await work()
}

function drawPicture(lane: number, number: number): Promise<Buffer> {
  const background = { r: lane, g: number & 255, b: number >> 8 }
  return sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .jpeg()
    .toBuffer()
}

/** A request for a file that no socket buffer holds. */
async function largeRequest(installation: Installation): Promise<string> {
  const tenant = await installation.tenant('large')
  const width = 1_800
  const raw = { width, height: width, channels: 3 } as const
  const noise = Buffer.from(Array.from({ length: width * width * 3 }, () => Math.random() * 256))
  const file = await sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer()
  const answer = await upload(installation.port, tenant, file)
  expect(answer, 'the upload of a large file')
  return `GET ${readUploaded(answer).file} HTTP/1.1\r\nHost: ${tenant.host}\r\n\r\n`
}

interface Opening {
  installation: Installation
  folder: string
  undo: AsyncDisposableStack
}

/** Each is repeated without a pause until the end. */
async function openTroubles({ installation, folder, undo }: Opening) {
  const { port } = installation
  const postgres = undo.use(await startPostgres())
  const distant = new URL(postgres.url)
  const slowDatabase = undo.use(await startSlowProxy(Number(distant.port), { delayMs: 80 }))
  distant.port = String(slowDatabase.port)
  const bucket = await slowBucket(undo)
  const farRows = await installation.tenant('far-rows', { SERVICE_DATABASE_URL: distant.href })
  const farBytes = await installation.tenant('far-bytes', { SERVICE_STORAGE_URL: bucket })
  const flooder = await installation.tenant('flooder')
  const fetcher = await installation.tenant('fetcher')

  const photo = join(folder, 'photo.jpeg')
  await drawPhoto(photo, { width: 4_000, height: 3_000 })
  const large = await readFile(photo)
  const first = await upload(port, farBytes, large)
  expect(first, 'the first upload to the slow bucket')
  const { file } = readUploaded(first)
  const shown = await upload(port, farRows, await drawPicture(9, 9))
  expect(shown, 'the first upload to the slow database')
  const { page } = readUploaded(shown)
  const small = () => drawPicture(Math.random() * 256, Math.random() * 65_536)
  const lanes = (count: number, what: string, work: () => Promise<Answer>) =>
    Array.from({ length: count }, () => ({ what, work }))
  return [
    ...lanes(4, 'upload, slow database', async () => upload(port, farRows, await small())),
    ...lanes(8, 'page, slow database', () => ask(port, farRows.host, page)),
    ...lanes(4, 'upload, slow bucket', () => upload(port, farBytes, large)),
    ...lanes(8, 'file, slow bucket', () => ask(port, farBytes.host, file)),
    ...lanes(2, 'upload of 12 megapixels', () => upload(port, flooder, large)),
    ...lanes(16, 'upload by URL, silent name server', async () => {
      const answer = await uploadUrl(port, fetcher, `http://a${Math.random()}.example.org/a.png`)
      if (answer.milliseconds < 100) await sleep(100)
      return answer
    }),
  ]
}

async function slowBucket(undo: AsyncDisposableStack): Promise<string> {
  const [endpoint = '', accessKeyId = '', secretAccessKey = ''] = undo
    .use(await startRadosgwServer())
    .address.split(' ')
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  await client.send(new CreateBucketCommand({ Bucket: 'far' }))
  client.destroy()
  const slowness = { delayMs: 100, bytesPerSecond: 2_000_000 }
  const proxy = undo.use(await startSlowProxy(Number(new URL(endpoint).port), slowness))
  return `s3://${accessKeyId}:${secretAccessKey}@127.0.0.1:${proxy.port}/far?scheme=http`
}
