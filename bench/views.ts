import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { cpuPerRequest } from './load.ts'
import { median, print } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const rounds = 9
const requests = 1_000

/** The cost of a view: a file's page requested by a person, against the page requested by a prefetch, which is not counted. */
export async function benchViews(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-views-'))
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const listen = { SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_LOG_LEVEL: 'error' }
  try {
    await using server = await startChild('./terrace.ts', { SERVICE_DATA_DIR: dataDir, ...listen })
    const path = await uploadPicture(server)
    const page = (header: string) => ({
      request: `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n${header}\r\n`,
      requests,
    })
    const spent = { counted: [] as number[], uncounted: [] as number[] }
    // In turn: what else the machine does falls on both alike.
    for (let round = 0; round < rounds; round += 1) {
      spent.counted.push(await cpuPerRequest(server, page('')))
      spent.uncounted.push(await cpuPerRequest(server, page('Sec-Purpose: prefetch\r\n')))
    }
    const [counted, uncounted] = [median(spent.counted), median(spent.uncounted)]
    print('CPU of a viewer page, on SQLite', [
      { what: 'whose view is counted', measured: `${(counted / 1_000).toFixed(2)} ms` },
      { what: 'whose view is not', measured: `${(uncounted / 1_000).toFixed(2)} ms` },
      { what: 'counted against not', measured: `${(counted / uncounted).toFixed(2)}x` },
      { what: 'the view itself', measured: `${((counted - uncounted) / 1_000).toFixed(2)} ms` },
    ])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function uploadPicture({ port, credentials }: ChildServer): Promise<string> {
  const picture = sharp({ create: { width: 800, height: 600, channels: 3, background: '#369' } }).png()
  const form = new FormData()
  form.set('source', new Blob([new Uint8Array(await picture.toBuffer())]), 'picture.png')
  const headers = { 'x-api-key': credentials.uploadKey ?? '' }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', headers, body: form })
  const { image } = (await answer.json()) as { image?: { path_viewer: string } }
  if (!image) throw new Error(`The upload was answered with ${answer.status}.`)
  return image.path_viewer
}
