import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserKey } from '../src/accounts/index.ts'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { addressesOf, usualSigning } from '../src/http/addresses/file-addresses.ts'
import { readFile as readRow, type StoredFile } from '../src/media/index.ts'
import { changeSetting, changingSite, type Site } from '../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../src/tenants/index.ts'
import { startPostgres } from '../test/support/stores/postgres-server.ts'
import { startS3Stub } from '../test/support/stores/storage-s3-stub.ts'
import { cpuPerRequest } from './load.ts'
import { drawPhoto } from './photos.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const rounds = 9
const requests = 2_000
/** Until the code of both servers is compiled. */
const warmUp = 6_000
const most = 1.3

/**
 * CPU of files that were read lately, against `node:http` without a framework, which answers with as many bytes and the same headers.
 * Both take turns. The CPU of PostgreSQL itself is not counted.
 */
export async function benchFiles(): Promise<void> {
  await using postgres = await startPostgres()
  await using bucket = await startS3Stub()
  const lines = [
    ...(await measureWay('SQLite', {})),
    ...(await measureWay('a bucket', { SERVICE_STORAGE_URL: bucket.url })),
    ...(await measureWay('PostgreSQL', { SERVICE_DATABASE_URL: postgres.url })),
  ]
  print('CPU of a file that was read lately, against bare node:http with the same headers', lines)
}

async function measureWay(way: string, own: Record<string, string>): Promise<Line[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-files-'))
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_LISTEN: listen, SERVICE_LOG_LEVEL: 'error', ...own }
  try {
    await using app = await openApp(readConfig(settings, '/'))
    await using site = await makeSite(app)
    await using server = await startChild('./terrace.ts', settings)
    const file = await uploadPhoto(server, site, join(dataDir, 'photo.jpeg'))
    const { url, urlOf } = addressesOf(app, site, file)
    const thumb = file.variants.find(({ variant }) => variant === 'thumb')
    if (!thumb) throw new Error('The photo has no thumb.')
    const lines = [
      await compare(server, `${way}: a thumb`, urlOf(thumb)),
      await compare(server, `${way}: a file`, url),
    ]
    const signed = await protectedAddress(app, site, file)
    return [...lines, await compare(server, `${way}: a protected file with a signature`, signed)]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function makeSite(app: App) {
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  await createTenant(app.control, { id: 'cats', hostname: 'localhost', isEnabled: true })
  await installTenant(app.control, 'cats', account)
  return openSite(app.control, await readTenant(app.control, 'cats'))
}

async function uploadPhoto({ port }: ChildServer, site: Site, path: string): Promise<StoredFile> {
  await drawPhoto(path, { width: 960, height: 720 })
  const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  const key = await createUserKey(changingSite(site), { userId, name: 'bench', scope: 'upload' })
  const body = new FormData()
  body.set('source', new Blob([new Uint8Array(await readFile(path))]), 'photo.jpg')
  const headers = { 'x-api-key': key }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`The upload was answered with ${answer.status}.`)
  const { id } = await site.db.selectFrom('file').select('id').executeTakeFirstOrThrow()
  return readRow(site, id)
}

/** Makes the file private, so that only a signed address has its bytes. */
async function protectedAddress(app: App, site: Site, file: StoredFile): Promise<string> {
  await changeSetting(changingSite(site), 'protect_bytes', '1')
  await site.db.updateTable('file').set({ isPrivate: 1 }).where('id', '=', file.id).execute()
  return addressesOf(app, site, file, { signing: usualSigning(site.clock.now()) }).url
}

async function compare(server: ChildServer, what: string, address: string): Promise<Line> {
  const { pathname, search } = new URL(address)
  const { size, headers } = await answerAt(server.port, pathname + search)
  await using bare = await startChild('./bare.ts', { size, headers })
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  for (const each of [bare, server]) await cpuPerRequest(each, { request, requests: warmUp })
  const ratios: number[] = []
  const spent: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const least = await cpuPerRequest(bare, { request, requests })
    spent.push(await cpuPerRequest(server, { request, requests }))
    ratios.push((spent.at(-1) ?? Number.NaN) / least)
  }
  const about = `${(size / 1e3).toFixed(0)} kB, ${median(spent).toFixed(0)} µs`
  return ratioLine(`${what} (${about})`, median(ratios), most)
}

/** What the framework of Node adds to every answer by itself. */
const added: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'content-length'])

async function answerAt(port: number, path: string) {
  const answer = await fetch(`http://localhost:${port}${path}`)
  if (answer.status !== 200) throw new Error(`The file was answered with ${answer.status}.`)
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !added.has(name)))
  return { size: (await answer.arrayBuffer()).byteLength, headers }
}
