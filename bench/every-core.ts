import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sendAll } from './load.ts'
import { drawPhoto } from './photos.ts'
import { commandOf, cpuOfOwnThreads, cpuOfService, memoryOfTree, treeOf } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { upload } from './upload-client.ts'

const processes = 2
const rounds = 5
const requests = 2_000
const uploadsEach = 24
/** The kernel spreads connections by chance: with many, each process gets about as many. */
const connections = 64
const leastGain = 1.7
const mostMegabytes = 90

const terrace = fileURLToPath(new URL('../bin/terrace', import.meta.url))

/**
 * What two processes of a server carry against one. Not by the clock: on a machine with as many cores as processes, the clients
 * take turns with them. A server is full when its busiest process is, so the gain is the CPU of a request in one process, against
 * the CPU that a request costs the busiest of two.
 */
export async function benchEveryCore(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  try {
    await using one = await startServer(join(folder, 'one'), 1)
    await using two = await startServer(join(folder, 'two'), processes)
    const path = join(folder, 'photo.jpeg')
    await drawPhoto(path, { width: 1280, height: 960 })
    const photo = await readFile(path)
    const ofOne = await addressesOf(one, photo)
    const ofTwo = await addressesOf(two, photo)
    const lines: Line[] = []
    for (const what of ['thumb', 'viewer', 'explore', 'me'] as const) {
      const gains: number[] = []
      for (let round = 0; round < rounds; round += 1)
        gains.push((await busiestCpu(one, ofOne[what])) / (await busiestCpu(two, ofTwo[what])))
      lines.push(gainLine(`${what}, of one process against the busiest of ${processes}`, median(gains)))
    }
    lines.push(await uploadLine(one, two, photo))
    const further = (memoryOfTree(two.pid) - memoryOfTree(one.pid)) / 1e6
    const isReached = further <= mostMegabytes
    lines.push({
      what: 'memory of the further process',
      measured: `${further.toFixed(1)} MB`,
      reach: `<= ${mostMegabytes} MB`,
      isReached,
    })
    print(`${processes} processes of one server, on SQLite`, lines)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const gainLine = (what: string, gain: number): Line => ({
  what,
  measured: `${gain.toFixed(2)}x`,
  reach: `>= ${leastGain}x`,
  isReached: gain >= leastGain,
})

interface Server extends AsyncDisposable {
  pid: number
  port: number
  credentials: { uploadKey: string }
  /** The processes that answer requests. */
  pids(): number[]
}

async function startServer(dataDir: string, count: number): Promise<Server> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const child = spawn(terrace, ['serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      SERVICE_DATA_DIR: dataDir,
      SERVICE_PROCESSES: String(count),
      SERVICE_RATE_READS: '0',
      SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  const pids = () => [pid, ...treeOf(pid).filter((each) => commandOf(each).includes('further-process'))]
  const uploadKey = await keyOf(child)
  while (pids().length < count) await sleep(50)
  // The pictures of the demo, and the decoders, come in the first seconds.
  await sleep(10_000)
  return {
    pid,
    port,
    credentials: { uploadKey },
    pids,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** The first start prints the key of the demo. */
async function keyOf(child: ChildProcess): Promise<string> {
  let printed = ''
  for await (const chunk of child.stdout ?? []) {
    printed += chunk
    const key = /Upload key +(\S+)\n/.exec(printed)?.[1]
    if (key !== undefined) return key
  }
  throw new Error(`The server did not start: ${printed}`)
}

async function addressesOf({ port, credentials }: Server, photo: Buffer) {
  const { image } = await upload({ port, credentials }, photo)
  const request = (url: string) => {
    const { pathname, search } = new URL(url, `http://localhost:${port}`)
    return `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nX-API-Key: ${credentials.uploadKey}\r\n\r\n`
  }
  return {
    thumb: request(image.thumb.url),
    viewer: request(image.url_viewer),
    explore: request('/explore'),
    me: request('/api/5/me'),
  }
}

/** The CPU that a request costs the busiest process, in milliseconds. */
async function busiestCpu(server: Server, request: string): Promise<number> {
  await sendAll(server.port, { request, requests: requests / 4, connections })
  const before = server.pids().map(cpuOfOwnThreads)
  await sendAll(server.port, { request, requests, connections })
  const spent = server.pids().map((pid, index) => cpuOfOwnThreads(pid) - (before[index] ?? 0))
  return Math.max(...spent) / requests
}

async function uploadLine(one: Server, two: Server, photo: Buffer): Promise<Line> {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1)
    ratios.push((await cpuOfUpload(two, photo)) / (await cpuOfUpload(one, photo)))
  return ratioLine('upload of 1280 pixels, all CPU, against one process', median(ratios), 1.05)
}

async function cpuOfUpload(server: Server, photo: Buffer): Promise<number> {
  const before = cpuOfService(server.pid)
  for (let count = 0; count < uploadsEach; count += 4)
    await Promise.all(Array.from({ length: 4 }, () => upload(server, distinct(photo))))
  return (cpuOfService(server.pid) - before) / uploadsEach
}

let uploaded = 0

/** Not a duplicate: bytes after the end of the picture change none of its pixels. */
function distinct(photo: Buffer): Buffer {
  uploaded += 1
  return Buffer.concat([photo, Buffer.from(`${process.pid} ${uploaded}`)])
}
