import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BareDecoder, startBareDecoder } from './bare-decoder.ts'
import { drawPhoto } from './photos.ts'
import { cpuOfService, peakOfTree } from './processes.ts'
import { type Line, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const photos = [
  { what: 'JPEG of 12 megapixels', width: 4000, height: 3000, times: 40, first: 160, most: 1.25 },
  { what: 'JPEG of 1280 pixels', width: 1280, height: 960, times: 120, first: 80, most: 1.6 },
]
/** One process decodes the same faster than another, by where its memory happens to lie: some of each are measured. */
const starts = 5

type Photo = (typeof photos)[number]
interface Spent {
  bareMs: number
  uploadMs: number
}

/** An upload through HTTP, all processes of the service together, against the bare work on the picture. */
export async function benchUpload(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const pathOf = ({ width }: { width: number }) => join(folder, `${width}.jpeg`)
  try {
    for (const photo of [...photos, { width: 640, height: 480 }]) await drawPhoto(pathOf(photo), photo)
    const spent = new Map<Photo, Spent[]>(photos.map((photo) => [photo, []]))
    for (let start = 0; start < starts; start += 1) {
      await using bare = startBareDecoder()
      await using server = await startServer(join(folder, `data-${start}`))
      // As it runs in service: compiled, which takes some hundreds, with its decoders up. The first one ends after 500.
      await uploads(server, await readFile(join(folder, '640.jpeg')), 520)
      for (const [photo, each] of spent) each.push(await compare(server, bare, photo, pathOf(photo)))
    }
    const lines = [...spent].flatMap(([photo, each]) => linesOf(photo, each))
    print('CPU of an upload, the whole service, against one bare decode to thumb and medium', lines)
    await using server = await startServer(join(folder, 'data-busy'))
    print('Eight uploads at once, 12 megapixels', await saturate(server, join(folder, '4000.jpeg')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function startServer(dataDir: string): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const listen = { SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_LOG_LEVEL: 'error' }
  return startChild('./terrace.ts', { SERVICE_DATA_DIR: dataDir, ...listen })
}

async function compare(
  server: ChildServer,
  bare: BareDecoder,
  { times, first }: Photo,
  path: string,
): Promise<Spent> {
  const bytes = await readFile(path)
  // Those of another size are slower at first: other code is compiled, and other memory is used.
  await bare.decode(path, first)
  await uploads(server, bytes, first)
  const before = { bare: cpuOfService(bare.pid), server: cpuOfService(server.pid) }
  // In turn: what else the machine does falls on both sides alike, and both find its caches as the other has left them.
  for (let time = 0; time < times; time += 1) {
    await bare.decode(path, 1)
    await upload(server, bytes)
  }
  return {
    bareMs: (cpuOfService(bare.pid) - before.bare) / times,
    uploadMs: (cpuOfService(server.pid) - before.server) / times,
  }
}

function linesOf({ what, most }: Photo, spent: readonly Spent[]): Line[] {
  const mean = (name: keyof Spent) => spent.reduce((sum, each) => sum + each[name], 0) / spent.length
  const ratios = spent.map(({ bareMs, uploadMs }) => (uploadMs / bareMs).toFixed(2)).sort()
  return [
    ratioLine(what, mean('uploadMs') / mean('bareMs'), most),
    { what: `${what}: of each start`, measured: `${ratios[0]}x to ${ratios.at(-1)}x` },
    { what: `${what}: an upload`, measured: `${mean('uploadMs').toFixed(1)} ms` },
    { what: `${what}: the bare work`, measured: `${mean('bareMs').toFixed(1)} ms` },
  ]
}

async function uploads(server: ChildServer, bytes: Buffer, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await upload(server, bytes)
}

/** Both cores busy: what others notice of it, and how much memory it takes. */
async function saturate(server: ChildServer, path: string): Promise<Line[]> {
  const bytes = await readFile(path)
  await server.loopDelayMs()
  const started = performance.now()
  for (let turn = 0; turn < 4; turn += 1)
    await Promise.all(Array.from({ length: 8 }, () => upload(server, bytes)))
  const seconds = (performance.now() - started) / 1_000
  return [
    { what: 'uploads a second', measured: (32 / seconds).toFixed(1) },
    { what: 'event loop delay, 99th percentile', measured: `${(await server.loopDelayMs()).toFixed(1)} ms` },
    { what: 'peak memory, all processes', measured: `${(peakOfTree(server.pid) / 1e6).toFixed(0)} MB` },
  ]
}

/** As plain as can be: a client that is busy beside the server would take half of its core. */
async function upload(server: ChildServer, bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  uploaded += 1
  const body = Buffer.concat([formHead(`photo-${uploaded}.jpg`), bytes, formEnd])
  const headers = {
    'x-api-key': server.told.uploadKey ?? '',
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
  }
  const outgoing = request(
    { host: 'localhost', port: server.port, method: 'POST', path: '/api/1/upload', headers },
    async (answer) => {
      const said = (await answer.toArray()).join('')
      if (answer.statusCode === 200) resolve()
      else reject(new Error(`An upload was answered with ${answer.statusCode}: ${said}`))
    },
  )
  outgoing.on('error', reject)
  outgoing.end(body)
  await promise
}

let uploaded = 0

/** As long as those of browsers and other clients, which are looked for in every byte. */
const boundary = '----TerraceBenchBoundary7MA4YWxkTrZu0gW'
const formHead = (name: string) =>
  Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="source"; filename="${name}"\r\n` +
      'content-type: image/jpeg\r\n\r\n',
  )
const formEnd = Buffer.from(`\r\n--${boundary}--\r\n`)
