import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { drawPhoto, makeBare } from './photos.ts'
import { cpuOfService, peakOfTree } from './processes.ts'
import { type Line, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const photos = [
  { what: 'JPEG of 12 megapixels', width: 4000, height: 3000, times: 4, most: 1.25 },
  { what: 'JPEG of 1280 pixels', width: 1280, height: 960, times: 12, most: 1.6 },
]
/** Short ones that take turns: what else the machine does falls on both sides alike. */
const rounds = 25

/** An upload through HTTP, all processes of the service together, against the bare work on the picture. */
export async function benchUpload(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const environment = { SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_LISTEN: `127.0.0.1:${port}` }
  sharp.cache(false)
  sharp.concurrency(1)
  try {
    await using server = await startChild('./terrace.ts', { ...environment, SERVICE_LOG_LEVEL: 'error' })
    const lines: Line[] = []
    for (const photo of photos) {
      const path = join(folder, `${photo.width}.jpeg`)
      await drawPhoto(path, photo)
      lines.push(...(await compare(server, path, photo)))
    }
    print('CPU of an upload, the whole service, against one bare decode to thumb and medium', lines)
    print('Eight uploads at once, 12 megapixels', await saturate(server, join(folder, '4000.jpeg')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(server: ChildServer, path: string, { what, times, most }: (typeof photos)[number]) {
  const bytes = await readFile(path)
  // As it runs in service: compiled, with its decoders up.
  for (let warm = 0; warm < 60; warm += 1) await upload(server, bytes)
  const spent = { bare: 0, upload: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const own = process.cpuUsage()
    for (let time = 0; time < times; time += 1) await makeBare(path)
    const { user, system } = process.cpuUsage(own)
    spent.bare += (user + system) / 1_000
    const before = cpuOfService(server.pid)
    for (let time = 0; time < times; time += 1) await upload(server, bytes)
    spent.upload += cpuOfService(server.pid) - before
  }
  const each = (spentMs: number) => `${(spentMs / rounds / times).toFixed(1)} ms`
  return [
    ratioLine(what, spent.upload / spent.bare, most),
    { what: `${what}: an upload`, measured: each(spent.upload) },
    { what: `${what}: the bare work`, measured: each(spent.bare) },
  ]
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

async function upload(server: ChildServer, bytes: Buffer): Promise<void> {
  const form = new FormData()
  form.append('source', new Blob([new Uint8Array(bytes)]), 'photo.jpg')
  const headers = { 'x-api-key': server.told.uploadKey ?? '' }
  const answer = await fetch(`http://localhost:${server.port}/api/1/upload`, {
    method: 'POST',
    body: form,
    headers,
  })
  if (answer.status !== 200)
    throw new Error(`An upload was answered with ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}
