import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BareDecoder, startBareDecoder } from './bare-decoder.ts'
import { drawPhoto } from './photos.ts'
import { cpuOfService, cpuOfThreads, peakOfTree } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import type { ChildServer } from './servers/child.ts'
import { startUploadServer, upload, uploads } from './upload-client.ts'

const photos = [
  { what: 'JPEG of 12 megapixels', width: 4000, height: 3000, times: 40, first: 160, most: 1.25 },
  { what: 'JPEG of 1280 pixels', width: 1280, height: 960, times: 120, first: 80, most: 1.6 },
]
/** Of each some: every process compiles its code and finds its memory anew. */
const starts = 5

type Photo = (typeof photos)[number]
type Side = 'bare' | 'upload'
/** Of one start: what each piece of work took, and all of them together, in milliseconds. */
type Spent = Record<Side, { each: number[]; all: number }>

/** An upload through HTTP, all processes of the service together, against the bare work on the picture. */
export async function benchUpload(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const pathOf = ({ width }: { width: number }) => join(folder, `${width}.jpeg`)
  try {
    for (const photo of [...photos, { width: 640, height: 480 }]) await drawPhoto(pathOf(photo), photo)
    const spent = new Map<Photo, Spent[]>(photos.map((photo) => [photo, []]))
    for (let start = 0; start < starts; start += 1) {
      await using bare = startBareDecoder()
      await using server = await startUploadServer(join(folder, `data-${start}`))
      // As it runs in service: compiled, which takes some hundreds, with its decoders up.
      await uploads(server, await readFile(join(folder, '640.jpeg')), 520)
      for (const [photo, each] of spent) each.push(await compare(server, bare, photo, pathOf(photo)))
    }
    const lines = [...spent].flatMap(([photo, each]) => linesOf(photo, each))
    print('CPU of an upload, the whole service, against one bare decode to thumb and medium', lines)
    await using server = await startUploadServer(join(folder, 'data-busy'))
    print('Eight uploads at once, 12 megapixels', await saturate(server, join(folder, '4000.jpeg')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
  const pids = { bare: bare.pid, upload: server.pid }
  const look = (cpuOf: (pid: number) => number) => ({ bare: cpuOf(pids.bare), upload: cpuOf(pids.upload) })
  const begin = look(cpuOfService)
  const looks = [look(cpuOfThreads)]
  // In turn: what else the machine does falls on both sides alike, and both find its caches as the other has left them.
  // What is done after an answer counts in the next turn.
  for (let time = 0; time < times; time += 1) {
    await bare.decode(path, 1)
    await upload(server, bytes)
    looks.push(look(cpuOfThreads))
  }
  const end = look(cpuOfService)
  const spentBy = (side: Side) => ({
    each: looks.slice(1).map((after, turn) => after[side] - (looks[turn]?.[side] ?? 0)),
    all: end[side] - begin[side],
  })
  return { bare: spentBy('bare'), upload: spentBy('upload') }
}

/**
 * The median of all turns, in each of which both sides found the machine alike: now and then another takes half of a
 * core for a while, and everything takes half as long again.
 */
function linesOf({ what, most }: Photo, spent: readonly Spent[]): Line[] {
  const typical = (side: Side) => median(spent.flatMap((start) => start[side].each))
  const ratiosOf = ({ bare, upload }: Spent) =>
    upload.each.map((ms, turn) => ms / (bare.each[turn] ?? Number.NaN))
  const ratios = spent.map((start) => median(ratiosOf(start)).toFixed(2)).sort()
  const sum = (side: Side) => spent.reduce((all, start) => all + start[side].all, 0)
  return [
    ratioLine(what, median(spent.flatMap(ratiosOf)), most),
    { what: `${what}: of each start`, measured: `${ratios[0]}x to ${ratios.at(-1)}x` },
    { what: `${what}: all added up`, measured: `${(sum('upload') / sum('bare')).toFixed(2)}x` },
    { what: `${what}: an upload`, measured: `${typical('upload').toFixed(1)} ms` },
    { what: `${what}: the bare work`, measured: `${typical('bare').toFixed(1)} ms` },
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
  const delayMs = await server.loopDelayMs()
  return [
    { what: 'uploads a second', measured: (32 / seconds).toFixed(1) },
    {
      what: 'event loop delay, 99th percentile',
      measured: `${delayMs.toFixed(1)} ms`,
      reach: '<= 20 ms',
      isReached: delayMs <= 20,
    },
    { what: 'peak memory, all processes', measured: `${(peakOfTree(server.pid) / 1e6).toFixed(0)} MB` },
  ]
}
