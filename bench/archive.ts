import { spawn } from 'node:child_process'
import { createHash, createHmac, hash, randomFillSync } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PRODUCTION_FLAGS } from '../boot.mjs'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { insertSiteRows } from '../src/db/index.ts'
import { recountTotals } from '../src/site/index.ts'
import { changeSite, createTenant, installTenant, openSite, readTenant } from '../src/tenants/index.ts'
import { rowOf } from './file-row.ts'
import { peakOfTree } from './processes.ts'
import { type Line, median, print } from './report.ts'
import { startChild } from './servers/child.ts'

const megabytes = Number(process.argv[3] ?? 800)
const rounds = Number(process.argv[4] ?? 5)
/** With the word `unscrubbed` as the last: rows have the MD5 of originals alone, as before the first scrub. */
const isScrubbed = process.argv[5] !== 'unscrubbed'
const main = fileURLToPath(new URL('../build/main.js', import.meta.url))

/** Of a photo, of one that is edited, of a scan and of a short video. */
const originalBytes = [700_000, 2_500_000, 5_000_000, 12_000_000]
const [mediumBytes, thumbBytes] = [80_000, 12_000]

/**
 * A tenant in one file against GNU tar, which reads and writes the same bytes and checks none of them. Its file is synced, as the
 * archive is, and so is the file system of the folder that it extracts to, as every file of an import is. Each round runs all of them in
 * turn on a warm cache. The speeds of the sums are printed, as no program that checks the same can be faster.
 */
export async function benchArchive(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-archive-'))
  const settings = { SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_LOG_LEVEL: 'error', SERVICE_DEMO: '0' }
  try {
    await makeTenant(settings)
    const byApi = await measureApi(settings)
    const byTool = rounds > 0 ? await measure(folder, settings) : []
    print(`A tenant of ${megabytes} MB in one file`, [...hashSpeeds(), ...byApi, ...byTool])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Settings = Readonly<Record<string, string>>

async function makeTenant(settings: Settings): Promise<void> {
  await using app = await openApp(readConfig(settings, '/'))
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  await createTenant(app.control, { id: 'cats', hostname: 'cats.test', isEnabled: true })
  await installTenant(app.control, 'cats', account)
  await fill(app)
}

/** Rows with sums, and bytes in their places: uploading as much would take most of the time. */
async function fill(app: App): Promise<void> {
  await using site = await openSite(app.control, await readTenant(app.control, 'cats'))
  const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  const bytes = randomFillSync(Buffer.allocUnsafe(Math.max(...originalBytes)))
  let stored = 0
  for (let number = 0; stored < megabytes * 1e6; number += 1) {
    const sizeBytes = originalBytes[number % originalBytes.length] ?? 0
    stored += sizeBytes + mediumBytes + thumbBytes
    const key = `images/${number % 30}/f${number}`
    const store = async (suffix: string, length: number) => {
      bytes.writeUInt32LE(number)
      const piece = bytes.subarray(0, length)
      const path = site.storage.localPath?.(`${key}${suffix}`) ?? ''
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, piece)
      return piece
    }
    const variant = async (name: string, suffix: string, length: number) => {
      const sha256 = hash('sha256', await store(suffix, length))
      const shape = { extension: 'jpg', mime: 'image/jpeg', width: 500, height: 375 }
      return { ...shape, variant: name, sizeBytes: length, sha256 }
    }
    const variants = [
      await variant('medium', '.md.jpg', mediumBytes),
      await variant('thumb', '.th.jpg', thumbBytes),
    ]
    const original = await store('.jpg', sizeBytes)
    const md5 = hash('md5', original)
    const sha256 = isScrubbed ? hash('sha256', original) : undefined
    await insertSiteRows(site.db, 'file', [
      {
        ...rowOf(number, userId),
        folder: dirname(key),
        sizeBytes,
        storedBytes: sizeBytes + mediumBytes + thumbBytes,
        md5,
        sourceMd5: md5,
        variants: JSON.stringify({ sha256, mime: 'image/jpeg', bits: 8, channels: 3, variants }),
      },
    ])
  }
  await changeSite(app.control, site, recountTotals)
}

/** One core, in memory. */
function hashSpeeds(): Line[] {
  const bytes = Buffer.alloc(1 << 20)
  return ['md5', 'sha256'].map((algorithm) => {
    const sum = createHash(algorithm)
    const before = process.cpuUsage()
    for (let count = 0; count < 256; count += 1) sum.update(bytes)
    sum.digest()
    const { user, system } = process.cpuUsage(before)
    return { what: `${algorithm} on one core`, measured: `${(268.4e6 / (user + system)).toFixed(0)} MB/s` }
  })
}

const kinds = ['tar', 'export', 'tar -x', 'import', 'import --verify'] as const

async function measure(folder: string, settings: Settings): Promise<Line[]> {
  const spent: Record<string, Cost[]> = {}
  const keep = async (kind: (typeof kinds)[number], command: readonly string[]) => {
    const cost = await costOf(command, settings)
    spent[kind] = [...(spent[kind] ?? []), cost]
  }
  const tool = [process.execPath, ...PRODUCTION_FLAGS, main, 'tenants']
  const tarFile = join(folder, 'plain.tar')
  const archive = join(folder, 'cats.tar')
  const extracted = join(folder, 'extracted')
  for (let round = 0; round < rounds; round += 1) {
    await rm(tarFile, { force: true })
    await rm(archive, { force: true })
    await keep('tar', [
      'sh',
      '-c',
      `tar -cf ${tarFile} -C ${settings.SERVICE_DATA_DIR}/sites . && sync ${tarFile}`,
    ])
    await keep('export', [...tool, 'export', '--id', 'cats', '--to', archive])
    await rm(extracted, { recursive: true, force: true })
    await mkdir(extracted)
    await keep('tar -x', ['sh', '-c', `tar -xf ${tarFile} -C ${extracted} && sync -f ${extracted}`])
    await rm(extracted, { recursive: true, force: true })
    for (const kind of ['import', 'import --verify'] as const) {
      const words = [
        archive,
        '--id',
        'dogs',
        '--hostname',
        'dogs.test',
        ...(kind === 'import' ? [] : ['--verify']),
      ]
      await keep(kind, [...tool, 'import', ...words])
      await costOf([...tool, 'delete', '--id', 'dogs', '--drop-tables'], settings)
    }
  }
  const of = (kind: string, what: keyof Cost) => (spent[kind] ?? []).map((cost) => cost[what])
  const seconds = (kind: string, what: keyof Cost) => `${(median(of(kind, what)) / 1e3).toFixed(2)} s`
  return kinds.flatMap((kind): Line[] => {
    const against = kind.startsWith('import') ? 'tar -x' : 'tar'
    const took = {
      what: `${kind}: wall, CPU`,
      measured: `${seconds(kind, 'wallMs')}, ${seconds(kind, 'cpuMs')}`,
    }
    if (kind.startsWith('tar')) return [took]
    const ratio = (what: keyof Cost) => median(of(against, what)) / median(of(kind, what))
    const speed = ratio('wallMs')
    return [
      took,
      { what: `${kind}: speed`, measured: `${speed.toFixed(2)}x`, reach: '>= 0.7x', isReached: speed >= 0.7 },
      { what: `${kind}: speed by CPU`, measured: `${ratio('cpuMs').toFixed(2)}x` },
      {
        what: `${kind}: peak memory`,
        measured: `${(Math.max(...of(kind, 'peakBytes')) / 1e6).toFixed(0)} MB`,
      },
    ]
  })
}

/** What an export by the management API costs the server that runs it, and its other requests. */
async function measureApi(settings: Settings): Promise<Line[]> {
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  await using server = await startChild('./prepared.ts', { ...settings, SERVICE_LISTEN: listen })
  const { key = '', secret = '' } = server.credentials
  const call = async (method: string, path: string, body = '') => {
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'X-API-Key': key, 'X-Signature': signature }
    const answer = await fetch(`http://${listen}/_/api/4/tenants/cats/${path}`, {
      method,
      headers,
      ...(body && { body }),
    })
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { id: string; state: string }
  }
  /** A call every 20 ms, until the work is done. */
  const askedUntil = async (isDone: () => Promise<boolean>) => {
    const waited: number[] = []
    await server.loopDelayMs()
    let peakBytes = 0
    do {
      const sentAt = performance.now()
      await call('GET', 'quotas')
      waited.push(performance.now() - sentAt)
      peakBytes = Math.max(peakBytes, await server.rssBytes())
      await sleep(20)
    } while (!(await isDone()))
    return { delayMs: await server.loopDelayMs(), waitedMs: median(waited), peakBytes }
  }
  let turns = 0
  const isWarm = async () => {
    turns += 1
    return turns % 150 === 0
  }
  await askedUntil(isWarm)
  const idle = await askedUntil(isWarm)
  const { id } = await call('POST', 'export', '{}')
  const busy = await askedUntil(async () => (await call('GET', `exports/${id}`)).state === 'done')
  const shown = ({ delayMs, waitedMs }: typeof idle) => `${delayMs.toFixed(0)} ms, ${waitedMs.toFixed(1)} ms`
  const more = (busy.peakBytes - idle.peakBytes) / 1e6
  const what = 'delay of the main thread, 99th percentile; median of a call'
  return [
    { what: `without an export: ${what}`, measured: shown(idle) },
    { what: `during an export by the API: ${what}`, measured: shown(busy) },
    { what: 'export by the API: memory beside that', measured: `${more.toFixed(0)} MB` },
  ]
}

interface Cost {
  wallMs: number
  cpuMs: number
  peakBytes: number
}

/** `times` of the shell tells the CPU of what has ended, with all of its threads. */
async function costOf(command: readonly string[], settings: Settings): Promise<Cost> {
  const script = '"$@" >&2; code=$?; times; exit $code'
  const env = { PATH: process.env.PATH ?? '', ...settings }
  const started = performance.now()
  const child = spawn('bash', ['-c', script, 'bash', ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOfTree(child.pid ?? 0))
  }, 20)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const [printed, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  clearInterval(timer)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${said}`)
  const cpuMs = (printed.trim().split('\n')[1] ?? '')
    .split(' ')
    .map((time) => /^(\d+)m([\d.]+)s$/.exec(time))
    .reduce((sum, found) => sum + Number(found?.[1]) * 60_000 + Number(found?.[2]) * 1_000, 0)
  return { wallMs: performance.now() - started, cpuMs, peakBytes }
}
