import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { createUserKey } from '../src/accounts/index.ts'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { changingSite, type Site } from '../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../src/tenants/index.ts'
import { cpuPerRequest } from './load.ts'
import { drawPhoto } from './photos.ts'
import { cpuOfThreads } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const photos = [
  { what: 'JPEG of 12 megapixels', width: 4000, height: 3000, turns: 40 },
  { what: 'JPEG of 1280 pixels', width: 1280, height: 960, turns: 60 },
]
const formats = [
  { name: 'webp', quality: 75 },
  { name: 'jpeg', quality: 80 },
] as const
/** Until the code of server and decoder is compiled. */
const warmUp = 40
const hits = { rounds: 9, requests: 2_000, warmUp: 6_000 }

/**
 * A picture in another size: made, through HTTP, all processes of the service together, against sharp that makes the same picture and does
 * nothing else; and sent again, against the same number of bytes of a stored file.
 */
export async function benchTransforms(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  const settings = {
    SERVICE_DATA_DIR: join(folder, 'data'),
    SERVICE_LISTEN: listen,
    SERVICE_LOG_LEVEL: 'error',
  }
  try {
    await using app = await openApp(readConfig(settings, '/'))
    await using site = await makeSite(app)
    await using server = await startChild('./terrace.ts', settings)
    const key = await keyOf(site)
    const lines: Line[] = []
    for (const photo of photos) {
      const path = join(folder, `${photo.width}.jpeg`)
      await drawPhoto(path, photo)
      const url = await uploadTo(server, key, path)
      for (const format of formats)
        lines.push(...(await compareMisses(server, { key, url, path, photo, format })))
    }
    print('CPU of a picture that is made, the whole service, against bare sharp', lines)
    print('CPU of a picture that is kept, against a stored file', [await compareHits(server, key, folder)])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeSite(app: App) {
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  await createTenant(app.control, { id: 'cats', hostname: 'localhost', isEnabled: true })
  await installTenant(app.control, 'cats', account)
  return openSite(app.control, await readTenant(app.control, 'cats'))
}

async function keyOf(site: Site): Promise<string> {
  const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  return createUserKey(changingSite(site), { userId, name: 'bench', scope: 'admin' })
}

async function uploadTo({ port }: ChildServer, key: string, path: string): Promise<string> {
  const body = new FormData()
  body.set('source', new Blob([new Uint8Array(await readFile(path))]), 'photo.jpg')
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body,
  })
  if (!answer.ok) throw new Error(`The upload was answered with ${answer.status}.`)
  const { image } = (await answer.json()) as { image: { url: string } }
  return new URL(image.url).pathname
}

async function signed({ port }: ChildServer, key: string, urls: string[]): Promise<string[]> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`http://localhost:${port}/api/5/sign`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ urls }),
  })
  const { urls: signedUrls } = (await answer.json()) as { urls: string[] }
  return signedUrls.map((url) => new URL(url).pathname + new URL(url).search)
}

interface Missing {
  key: string
  url: string
  path: string
  photo: (typeof photos)[number]
  format: (typeof formats)[number]
}

/** No width is asked for twice. */
async function compareMisses(
  server: ChildServer,
  { key, url, path, photo, format }: Missing,
): Promise<Line[]> {
  const widths = Array.from({ length: warmUp + photo.turns }, (_, index) => 600 + index)
  const addresses = await signed(
    server,
    key,
    widths.map((width) => `${url}?width=${width}&format=${format.name}`),
  )
  const ratios: number[] = []
  const spent: number[] = []
  for (const [turn, width] of widths.entries()) {
    const bareBefore = process.cpuUsage()
    await makeBare(path, width, format)
    const { user, system } = process.cpuUsage(bareBefore)
    const before = cpuOfThreads(server.pid)
    const answer = await fetch(`http://localhost:${server.port}${addresses[turn]}`)
    if (answer.status !== 200) throw new Error(`The picture was answered with ${answer.status}.`)
    await answer.arrayBuffer()
    // What is done after the answer belongs to it.
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (turn < warmUp) continue
    spent.push(cpuOfThreads(server.pid) - before)
    ratios.push((spent.at(-1) ?? Number.NaN) / ((user + system) / 1_000))
  }
  const what = `${photo.what} to ${format.name}, ${median(spent).toFixed(1)} ms`
  return [ratioLine(what, median(ratios), 1.15)]
}

sharp.cache(false)
sharp.concurrency(1)

const makeBare = (path: string, width: number, { name, quality }: (typeof formats)[number]) =>
  sharp(path, { failOn: 'error' }).autoOrient().resize({ width })[name]({ quality }).toBuffer()

async function compareHits(server: ChildServer, key: string, folder: string): Promise<Line> {
  const path = join(folder, 'kept.jpeg')
  await drawPhoto(path, { width: 960, height: 720 })
  const url = await uploadTo(server, key, path)
  const kept = `${url}?width=640&format=webp`
  const made = Buffer.from(await (await fetch(`http://localhost:${server.port}${kept}`)).arrayBuffer())
  const stored = join(folder, 'stored.webp')
  await rm(stored, { force: true })
  await sharp(made).webp({ quality: 75 }).toFile(stored)
  const file = await uploadTo(server, key, stored)
  const ask = (address: string) => `GET ${address} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const cpu = (address: string, requests: number) =>
    cpuPerRequest(server, { request: ask(address), requests })
  for (const address of [file, kept]) await cpu(address, hits.warmUp)
  const ratios: number[] = []
  for (let round = 0; round < hits.rounds; round += 1) {
    const least = await cpu(file, hits.requests)
    ratios.push((await cpu(kept, hits.requests)) / least)
  }
  return ratioLine(`a picture of ${(made.length / 1e3).toFixed(0)} kB`, median(ratios), 1.2)
}
