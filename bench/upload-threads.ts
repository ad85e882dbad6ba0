import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BareDecoder, startBareDecoder } from './bare-decoder.ts'
import { drawPhoto } from './photos.ts'
import { cpuByThread, cpuOfThreads } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import type { ChildServer } from './servers/child.ts'
import { startUploadServer, upload, uploads } from './upload-client.ts'

const large = { width: 4000, height: 3000, times: 20, first: 30 }

interface Photo {
  what: string
  width: number
  height: number
  isLocated?: boolean
  /** How many turns, after so many to warm up. */
  times: number
  first: number
  /** MD5s: of a file whose location is removed, both as sent and as stored. */
  sums: number
  /** Of the whole service to the floor. */
  most?: number
  /** Of the server's main thread. */
  mainMs: number
}

const photos: readonly Photo[] = [
  { ...large, what: '12 megapixels', sums: 1, most: 1.12, mainMs: 5 },
  { ...large, what: '12 megapixels with GPS', sums: 2, isLocated: true, most: 1.12, mainMs: 5 },
  { what: '1280 pixels', width: 1280, height: 960, times: 60, first: 60, sums: 1, most: 1.2, mainMs: 3 },
  { what: '190 KB', width: 928, height: 704, times: 60, first: 60, sums: 1, mainMs: 3 },
]
const starts = 2

interface Turn {
  floorMs: number
  uploadMs: number
}

interface Spent {
  turns: Turn[]
  /** Milliseconds of CPU an upload. */
  byThread: ReadonlyMap<string, number>
}

/**
 * CPU of an upload by thread, and of the whole service against the least that it can cost: one decode to thumb and medium, the
 * MD5s that the answer promises, and one write.
 */
export async function benchUploadThreads(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const pathOf = ({ what }: Photo) => join(folder, `${what.replaceAll(' ', '-')}.jpeg`)
  try {
    for (const photo of photos) await drawPhoto(pathOf(photo), photo)
    const spent = new Map<Photo, Spent[]>(photos.map((photo) => [photo, []]))
    for (let start = 0; start < starts; start += 1) {
      await using bare = startBareDecoder()
      await using server = await startUploadServer(join(folder, `data-${start}`))
      // As it runs in service: compiled, with its decoders up.
      await uploads(server, await readFile(pathOf(photos[3] as Photo)), 400)
      for (const [photo, each] of spent) each.push(await compare(server, bare, photo, pathOf(photo)))
    }
    for (const [photo, each] of spent) print(`CPU of an upload, JPEG of ${photo.what}`, linesOf(photo, each))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(
  server: ChildServer,
  bare: BareDecoder,
  { times, first, sums }: Photo,
  path: string,
): Promise<Spent> {
  const bytes = await readFile(path)
  await bare.decode(path, first, sums)
  await uploads(server, bytes, first)
  const turns: Turn[] = []
  const begin = cpuByThread(server.pid)
  for (let time = 0; time < times; time += 1) {
    const before = { floor: cpuOfThreads(bare.pid), upload: cpuOfThreads(server.pid) }
    await bare.decode(path, 1, sums)
    await upload(server, bytes)
    turns.push({
      floorMs: cpuOfThreads(bare.pid) - before.floor,
      uploadMs: cpuOfThreads(server.pid) - before.upload,
    })
  }
  const perUpload = [...cpuByThread(server.pid)].map(([thread, ms]): [string, number] => [
    thread,
    (ms - (begin.get(thread) ?? 0)) / times,
  ])
  return { turns, byThread: new Map(perUpload) }
}

function linesOf({ most, mainMs }: Photo, spent: readonly Spent[]): Line[] {
  const turns = spent.flatMap((start) => start.turns)
  const ratio = median(turns.map(({ floorMs, uploadMs }) => uploadMs / floorMs))
  const threads = [...new Set(spent.flatMap(({ byThread }) => [...byThread.keys()]))].toSorted().reverse()
  const typical = (thread: string) => median(spent.map(({ byThread }) => byThread.get(thread) ?? 0))
  const byThread = threads.map((thread): Line => {
    const measured = `${typical(thread).toFixed(2)} ms`
    if (thread !== 'server, main thread') return { what: thread, measured }
    return { what: thread, measured, reach: `<= ${mainMs} ms`, isReached: typical(thread) <= mainMs }
  })
  const what = 'all, against the floor'
  const whole = most === undefined ? { what, measured: `${ratio.toFixed(2)}x` } : ratioLine(what, ratio, most)
  const floorMs = median(turns.map((turn) => turn.floorMs))
  return [whole, { what: 'the floor', measured: `${floorMs.toFixed(1)} ms` }, ...byThread]
}
