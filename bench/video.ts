import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Ffmpeg, findFfmpeg } from '../src/imaging/index.ts'
import { cpuOfEnded, cpuOfService } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const videos = [
  { what: '1080p, 10 seconds', size: '1920x1080', seconds: 10, times: 10 },
  { what: '360p, 4 seconds', size: '640x360', seconds: 4, times: 30 },
]
const rounds = 5
const longSeconds = 120

const run = promisify(execFile)
const maker = fileURLToPath(new URL('../test/support/fixtures/make-video.ts', import.meta.url))

/** CPU of an upload of a video, in all processes of the service, compared with ffmpeg taking a frame; and the time to the first byte of playback. */
export async function benchVideo(): Promise<void> {
  const library = await findFfmpeg({})
  const program = await findFfmpeg({ searchPath: process.env.PATH, packageName: 'none' })
  if (library === undefined || program === undefined) {
    console.log('\nVideo: the library or the program ffmpeg is not on this machine, so nothing is compared.')
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  try {
    for (const video of videos) await draw(join(folder, `${video.size}.mp4`), video)
    const lines: Line[] = []
    for (const [mode, environment] of [
      ['by the library', {}],
      ['by the program', { FFMPEG_PATH: program.path }],
    ] as const) {
      await using server = await startServer(join(folder, mode), environment)
      for (const video of videos)
        lines.push(...(await compare(server, program, join(folder, `${video.size}.mp4`), { ...video, mode })))
    }
    print('CPU of an upload of a video, the whole service, against the bare program taking the frame', lines)
    await using server = await startServer(join(folder, 'playback'), {})
    const long = join(folder, 'long.mp4')
    await draw(long, { size: '1280x720', seconds: longSeconds }, [
      '-b:v',
      '6M',
      '-vf',
      'noise=alls=40:allf=t',
    ])
    print('Time to the first byte of playback', await playback(server, long))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function startServer(folder: string, environment: Record<string, string>): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const own = { SERVICE_DATA_DIR: folder, SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_LOG_LEVEL: 'error' }
  return startChild('./terrace.ts', { ...own, ...environment })
}

interface Video {
  size: string
  seconds: number
}

/** Makes a video as a camera does: with the index at the end. */
async function draw(path: string, { size, seconds }: Video, more: string[] = []) {
  const source = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=30:duration=${seconds}`]
  const sound = ['-f', 'lavfi', '-i', `sine=duration=${seconds}`, '-c:a', 'aac']
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60']
  await run(process.execPath, [maker, path, ...source, ...sound, ...more, ...codec])
}

interface Compared extends Video {
  what: string
  mode: string
  times: number
}

async function compare(server: ChildServer, ffmpeg: Ffmpeg, path: string, video: Compared) {
  const { times, seconds } = video
  const what = `${video.what}, ${video.mode}`
  const bytes = await readFile(path)
  const bare = [
    '-nostdin',
    '-loglevel',
    'error',
    '-y',
    '-threads',
    '1',
    '-ss',
    String(seconds / 4),
    '-i',
    path,
    '-frames:v',
    '1',
    '-an',
    '-threads',
    '1',
    '-q:v',
    '3',
    `${path}.jpeg`,
  ]
  for (let warm = 0; warm < 10; warm += 1) await upload(server, bytes)
  const ratios: number[] = []
  const costs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const own = cpuOfEnded(process.pid)
    for (let time = 0; time < times; time += 1) await run(ffmpeg.path, bare)
    const least = cpuOfEnded(process.pid) - own
    const before = cpuOfService(server.pid)
    for (let time = 0; time < times; time += 1) await upload(server, bytes)
    const cost = cpuOfService(server.pid) - before
    ratios.push(cost / least)
    costs.push(cost / times)
  }
  return [
    { what, measured: `${median(ratios).toFixed(2)}x` },
    { what: `${what}: an upload`, measured: `${median(costs).toFixed(1)} ms` },
  ]
}

/** First byte from the beginning and from the middle, against a bare server that sends the same bytes. */
async function playback(server: ChildServer, path: string): Promise<Line[]> {
  const { url } = await upload(server, await readFile(path))
  const { size } = await stat(path)
  await using bare = await startChild('./bare-file.ts', path)
  const lines: Line[] = []
  for (const [what, at] of [
    ['from the beginning', 0],
    ['seek to the middle', Math.floor(size / 2)],
  ] as const) {
    const ours: number[] = []
    const least: number[] = []
    for (let time = 0; time < 200; time += 1) {
      least.push(await firstByteMs(bare.port, '/', at))
      ours.push(await firstByteMs(server.port, new URL(url).pathname, at))
    }
    lines.push(ratioLine(`${what}, ${(size / 1e6).toFixed(0)} MB`, median(ours) / median(least), 3), {
      what: `${what}: ours`,
      measured: `${median(ours).toFixed(2)} ms`,
    })
  }
  return lines
}

async function firstByteMs(port: number, path: string, at: number): Promise<number> {
  const started = performance.now()
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    headers: { host: 'localhost', range: `bytes=${at}-` },
  })
  sent.end()
  const [response] = await once(sent, 'response')
  await once(response, 'readable')
  const tookMs = performance.now() - started
  response.destroy()
  return tookMs
}

async function upload(server: ChildServer, bytes: Buffer): Promise<{ url: string }> {
  const body = new FormData()
  body.append('source', new Blob([new Uint8Array(bytes)]), 'video.mp4')
  const headers = { 'x-api-key': server.credentials.uploadKey ?? '' }
  const answer = await fetch(`http://localhost:${server.port}/api/1/upload`, {
    method: 'POST',
    body,
    headers,
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`An upload was answered with ${answer.status}: ${text}`)
  return (JSON.parse(text) as { image: { url: string } }).image
}
