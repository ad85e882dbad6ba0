import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { findFfmpeg, type Imaging, startImaging } from '../src/imaging/index.ts'
import { drawHeic } from './heic.ts'
import { drawPhoto, makeBare } from './photos.ts'
import { cpuOfProcess } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'

const PICTURES = [
  { what: 'JPEG of 12 megapixels', width: 4000, height: 3000, times: 20, most: 1.15 },
  { what: 'JPEG of 1280 pixels', width: 1280, height: 960, times: 60, most: 1.35 },
]
const ROUNDS = 5
/** Of 512 pixels each, as phones write them. */
const HEIC_TILES = [8, 6] as const
const MOST_HEIC_MS = 800

/** CPU of examining a picture, in the child and in the server's process, compared with a bare decode to thumb and medium. */
export async function benchImaging(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-bench-'))
  sharp.cache(false)
  sharp.concurrency(1)
  try {
    await using imaging = startImaging({ children: 1 })
    const lines: Line[] = []
    for (const picture of PICTURES) {
      const path = join(folder, `${picture.width}.jpeg`)
      await drawPhoto(path, picture)
      lines.push(...(await compare(imaging, path, picture)))
    }
    const ffmpeg = await findFfmpeg({ searchPath: process.env.PATH, packageName: 'none' })
    if (ffmpeg === undefined) console.log('\nWithout the program ffmpeg there is no HEIC to measure.')
    else lines.push(...(await compareHeic(imaging, join(folder, 'photo.heic'), ffmpeg.path)))
    print('CPU of examining a picture against one bare decode to thumb and medium', lines)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A HEIC against the same photograph as JPEG, which is the bare work. */
async function compareHeic(imaging: Imaging, path: string, ffmpeg: string): Promise<Line[]> {
  await drawHeic(path, ffmpeg, HEIC_TILES)
  const heic = { what: 'HEIC of 12 megapixels', barePath: `${path}.jpeg`, times: 8 }
  const { ratio, typical } = await compareRounds(imaging, path, heic)
  const whole = typical('whole')
  return [
    {
      what: heic.what,
      measured: `${whole.toFixed(0)} ms`,
      reach: `<= ${MOST_HEIC_MS} ms`,
      isReached: whole <= MOST_HEIC_MS,
    },
    { what: `${heic.what}, against the bare JPEG`, measured: `${ratio.toFixed(2)}x` },
    { what: `${heic.what}: the bare JPEG`, measured: `${typical('bare').toFixed(1)} ms` },
  ]
}

async function compare(imaging: Imaging, path: string, { what, times, most }: (typeof PICTURES)[number]) {
  const { ratio, typical } = await compareRounds(imaging, path, { barePath: path, times })
  return [
    ratioLine(what, ratio, most),
    { what: `${what}: bare`, measured: `${typical('bare').toFixed(1)} ms` },
    { what: `${what}: in the server's process`, measured: `${typical('server').toFixed(2)} ms` },
  ]
}

async function compareRounds(
  imaging: Imaging,
  path: string,
  { barePath, times }: { barePath: string; times: number },
) {
  await repeat(3, () => examine(imaging, path))
  // Rounds alternate, so that other load of the machine affects both equally.
  const rounds: { bare: number; whole: number; server: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await cpuOf(times, [], () => makeBare(barePath))
    const whole = await cpuOf(times, imaging.pids, () => examine(imaging, path))
    rounds.push({ bare: bare.own, whole: whole.own + whole.children, server: whole.own })
  }
  const typical = (part: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[part]))
  return { ratio: median(rounds.map(({ bare, whole }) => whole / bare)), typical }
}

async function examine(imaging: Imaging, path: string): Promise<void> {
  const outputFolder = `${path}.output`
  mkdirSync(outputFolder)
  await imaging.examine(path, { tenantKey: 'bench', outputFolder, policy: 'strip_location' })
  rmSync(outputFolder, { recursive: true })
}

/** Milliseconds of CPU for one run. */
async function cpuOf(times: number, pids: number[], work: () => Promise<void>) {
  const own = process.cpuUsage()
  const before = pids.map(cpuOfProcess)
  await repeat(times, work)
  const { user, system } = process.cpuUsage(own)
  const children = pids.map((pid, index) => cpuOfProcess(pid) - (before[index] ?? 0))
  return {
    own: (user + system) / 1000 / times,
    children: children.reduce((sum, each) => sum + each, 0) / times,
  }
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < times; done++) await work()
}

if (import.meta.main) await benchImaging()
