import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { startS3Stub } from '../test/support/stores/storage-s3-stub.ts'
import { cpuOfService, memoryOf } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const fileBytes = 48_000_000
/** What the upload page sends in one request. */
const partBytes = 16_000_000
const turns = 12
const atOnce = 6
const megabytes = fileBytes / 1e6

/** A file in parts against the same file in one request: CPU of the whole service, and memory of its process. */
export async function benchResumable(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  await using stub = await startS3Stub()
  try {
    const lines: Line[] = []
    for (const { where, most, environment } of [
      { where: 'on disk', most: 1.3, environment: {} },
      { where: 'in a bucket', most: 1.6, environment: { SERVICE_STORAGE_URL: stub.url } },
    ]) {
      await using server = await startServer(join(folder, where), environment)
      lines.push(...(await compare(server, where, most)))
      stub.objects.clear()
    }
    print(`A file of ${megabytes} MB in parts of ${partBytes / 1e6} MB, against POST`, lines)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function startServer(dataDir: string, more: Record<string, string>): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  return startChild('./terrace.ts', {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_RATE_READS: '0',
    SERVICE_RATE_WRITES: '0',
    SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
    ...more,
  })
}

async function compare(server: ChildServer, where: string, most: number): Promise<Line[]> {
  const spent: Record<'once' | 'parts', number[]> = { once: [], parts: [] }
  const measure = async (work: () => Promise<void>) => {
    const before = cpuOfService(server.pid)
    await work()
    return cpuOfService(server.pid) - before
  }
  for (let turn = -3; turn < turns; turn += 1) {
    // In turn: what else the machine does falls on both sides alike.
    const once = await measure(async () => sendOnce(server, await nextFile()))
    const parts = await measure(async () => sendInParts(server, await nextFile()))
    if (turn < 0) continue
    spent.once.push(once)
    spent.parts.push(parts)
  }
  const ratio = median(spent.parts.map((ms, turn) => ms / (spent.once[turn] ?? Number.NaN)))
  const perMegabyte = (side: 'once' | 'parts') => `${(median(spent[side]) / megabytes).toFixed(2)} ms`
  const memory = await memoryOfEach(server)
  return [
    ratioLine(`${where}: CPU for each MB`, ratio, most),
    { what: `${where}: POST, for each MB`, measured: perMegabyte('once') },
    { what: `${where}: in parts, for each MB`, measured: perMegabyte('parts') },
    {
      what: `${where}: memory of each of ${atOnce} at once`,
      measured: `${memory.toFixed(1)} MB`,
      reach: '<= 10 MB',
      isReached: memory <= 10,
    },
  ]
}

/** How much the server's process grows while several uploads run, for each of them. */
async function memoryOfEach(server: ChildServer): Promise<number> {
  const files = await Promise.all(Array.from({ length: atOnce }, () => nextFile()))
  const before = memoryOf(server.pid)
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, memoryOf(server.pid))
  }, 20)
  await Promise.all(files.map((file) => sendInParts(server, file)))
  clearInterval(timer)
  return (highest - before) / 1e6 / atOnce
}

let made = 0
let jpeg: Promise<Buffer> | undefined

/** A small picture with bytes behind its end: what is measured is the way of the bytes, and not the decoder. */
async function nextFile(): Promise<Buffer> {
  made += 1
  jpeg ??= sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const bytes = Buffer.alloc(fileBytes, made)
  ;(await jpeg).copy(bytes)
  return bytes
}

async function sendOnce(server: ChildServer, bytes: Buffer): Promise<void> {
  await send(server, 'POST', '/api/5/files?filename=cat.jpg', { 'content-type': 'image/jpeg' }, bytes)
}

async function sendInParts(server: ChildServer, bytes: Buffer): Promise<void> {
  const tus = { 'tus-resumable': '1.0.0' }
  const { location = '' } = await send(server, 'POST', '/api/5/uploads', {
    ...tus,
    'upload-length': String(bytes.length),
  })
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const headers = {
      ...tus,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    }
    await send(server, 'PATCH', location, headers, bytes.subarray(offset, offset + partBytes))
  }
}

async function send(
  server: ChildServer,
  method: string,
  path: string,
  headers: Record<string, string>,
  bytes = Buffer.alloc(0) as Buffer,
): Promise<{ location?: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ location?: string }>()
  const all = { 'x-api-key': server.credentials.uploadKey ?? '', 'content-length': bytes.length, ...headers }
  const outgoing = request(
    { host: 'localhost', port: server.port, method, path, headers: all },
    async (answer) => {
      const said = (await answer.toArray()).join('')
      const { statusCode: status = 0 } = answer
      if (status >= 200 && status < 300) resolve(answer.headers as { location?: string })
      else reject(new Error(`${method} ${path} was answered with ${status}: ${said}`))
    },
  )
  outgoing.on('error', reject)
  outgoing.end(bytes)
  return promise
}
