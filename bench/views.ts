import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { cpuPerRequest } from './load.ts'
import { type Line, median, print } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const rounds = 11
const requests = 500
const fileRequests = 3_000
/** Two processes of the same code differ by some percent, for as long as they live. */
const starts = Number(process.argv[3] ?? 8)

/**
 * The cost of a view: a file's page requested by a person, against the page requested by a prefetch, which is not counted. The cost of
 * counting traffic: a file from memory, against the same service whose counter does nothing.
 */
export async function benchViews(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-views-'))
  try {
    print('CPU of a viewer page, on SQLite', await measureView(join(folder, 'view')))
    print('CPU of a GET of a file from memory, on SQLite', await measureFiles(folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureView(dataDir: string): Promise<Line[]> {
  await using server = await start('./terrace.ts', dataDir)
  const paths = await uploadPicture(server)
  const page = (header: string) => ({
    server,
    load: { request: requestOf(paths.page, `Accept: text/html\r\n${header}`), requests },
  })
  const view = await compare(page(''), page('Sec-Purpose: prefetch\r\n'))
  return [
    { what: 'whose view is counted', measured: `${(view.counted / 1_000).toFixed(2)} ms` },
    { what: 'whose view is not', measured: `${(view.uncounted / 1_000).toFixed(2)} ms` },
    { what: 'counted against not', measured: `${view.ratio.toFixed(2)}x` },
    { what: 'the view itself', measured: `${((view.counted - view.uncounted) / 1_000).toFixed(2)} ms` },
  ]
}

async function measureFiles(folder: string): Promise<Line[]> {
  const names = ['thumb', 'file'] as const
  const found = { thumb: [] as Compared[], file: [] as Compared[] }
  for (let number = 0; number < starts; number += 1) {
    await using server = await start('./terrace.ts', join(folder, `counted-${number}`))
    await using uncounted = await start('./uncounted.ts', join(folder, `uncounted-${number}`))
    const [paths, others] = [await uploadPicture(server), await uploadPicture(uncounted)]
    for (const name of names)
      found[name].push(
        await compare(
          { server, load: { request: requestOf(paths[name]), requests: fileRequests } },
          { server: uncounted, load: { request: requestOf(others[name]), requests: fileRequests } },
        ),
      )
  }
  return names.flatMap((name) => {
    const { mean, error } = meanOf(found[name].map(({ ratio }) => ratio))
    const counted = median(found[name].map((each) => each.counted))
    return [
      { what: `${name}, counted`, measured: `${counted.toFixed(0)} \u00b5s` },
      {
        what: `${name}, counted against not, ${starts} starts, and two standard errors`,
        measured: `${mean.toFixed(3)}x \u00b1 ${(2 * error).toFixed(3)}`,
        reach: '<= 1.03x',
        isReached: mean <= 1.03,
      },
    ]
  })
}

function meanOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}

function start(script: string, dataDir: string): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const listen = { SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_LOG_LEVEL: 'error', SERVICE_RATE_READS: '0' }
  return startChild(script, { SERVICE_DATA_DIR: dataDir, ...listen })
}

const requestOf = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`

interface Side {
  server: ChildServer
  load: { request: string; requests: number }
}

type Compared = Awaited<ReturnType<typeof compare>>

async function compare(counted: Side, uncounted: Side) {
  const spent = { counted: [] as number[], uncounted: [] as number[] }
  const sides = [
    ['counted', counted],
    ['uncounted', uncounted],
  ] as const
  // In turn, and each of them first in every other round: what else the machine does falls on both alike.
  for (let round = 0; round < rounds; round += 1)
    for (const [name, { server, load }] of round % 2 === 0 ? sides : sides.toReversed())
      spent[name].push(await cpuPerRequest(server, load))
  // Of neighbours in time.
  const ratios = spent.counted.map((each, round) => each / (spent.uncounted[round] ?? Number.NaN))
  return {
    counted: median(spent.counted),
    uncounted: median(spent.uncounted),
    ratio: median(ratios),
  }
}

async function uploadPicture({ port, credentials }: ChildServer) {
  const picture = sharp({ create: { width: 800, height: 600, channels: 3, background: '#369' } }).png()
  const form = new FormData()
  form.set('source', new Blob([new Uint8Array(await picture.toBuffer())]), 'picture.png')
  const headers = { 'x-api-key': credentials.uploadKey ?? '' }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', headers, body: form })
  const { image } = (await answer.json()) as { image?: UploadedPicture }
  if (!image) throw new Error(`The upload was answered with ${answer.status}.`)
  const pathOf = ({ url }: { url: string }) => new URL(url).pathname
  return { page: image.path_viewer, file: pathOf(image), thumb: pathOf(image.thumb) }
}

interface UploadedPicture {
  path_viewer: string
  url: string
  thumb: { url: string }
}
