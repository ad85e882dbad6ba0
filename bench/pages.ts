import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { createSession, createUserKey } from '../src/accounts/index.ts'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { insertSiteRows } from '../src/db/index.ts'
import { changeSetting, changingSite, type Site, type UsedSite } from '../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../src/tenants/index.ts'
import { openConnection } from './connection.ts'
import { cpuPerRequest } from './load.ts'
import { type Line, median, print } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const rounds = 5
const requests = 300
/** Until the code of a page is compiled. */
const warmUp = 600
const fileCount = 200

interface MeasuredPage {
  what: string
  path: string
  /** Logged in as the administrator. */
  isMember?: boolean
  /** What visitors open most: 0.5 ms, 1 ms with 60 tiles. The others: 1.5 and 3 ms. */
  mostMs: number
}

/**
 * CPU that a warm server takes for a page, on SQLite. The baseline is `hello`: `node:http` without a framework, which answers
 * with as many bytes. Both take turns, because a busy machine slows both.
 */
export async function benchPages(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-pages-'))
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  const settings = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: listen,
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_RATE_READS: '0',
  }
  try {
    await using app = await openApp(readConfig(settings, '/'))
    await using site = await makeSite(app)
    const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
    await using server = await startChild('./terrace.ts', settings)
    const viewer = await uploadPicture(server, await uploadKey(site, userId))
    await copyFile(site)
    const cookie = await sessionCookie(site, userId)
    const pages: readonly MeasuredPage[] = [
      { what: 'viewer', path: viewer, mostMs: 0.5 },
      { what: 'viewer of its owner', path: viewer, isMember: true, mostMs: 1.5 },
      { what: 'explore, 60 tiles', path: '/explore', mostMs: 1 },
      { what: 'own files, 60 tiles', path: '/mine', isMember: true, mostMs: 3 },
      { what: 'upload', path: '/upload', isMember: true, mostMs: 1.5 },
      { what: 'settings', path: '/settings', isMember: true, mostMs: 1.5 },
      { what: 'overview of the dashboard', path: '/dashboard', isMember: true, mostMs: 1.5 },
    ]
    const lines: Line[] = []
    for (const page of pages) lines.push(...(await measure(server, page, cookie)))
    print('CPU of a page, on SQLite', lines)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(
  server: ChildServer,
  { what, path, isMember = false, mostMs }: MeasuredPage,
  cookie: string,
): Promise<Line[]> {
  const request = requestOf(path, isMember ? cookie : undefined)
  const size = await sizeOf(server.port, request)
  await using hello = await startChild('./bare.ts', { size })
  await cpuPerRequest(server, { request, requests: warmUp })
  const spent: number[] = []
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const bare = await cpuPerRequest(hello, { request: requestOf('/'), requests })
    const page = await cpuPerRequest(server, { request, requests })
    spent.push(page / 1_000)
    ratios.push(page / bare)
  }
  const ms = median(spent)
  return [
    {
      what: `${what} (${(size / 1_000).toFixed(0)} KB)`,
      measured: `${ms.toFixed(2)} ms`,
      reach: `<= ${mostMs} ms`,
      isReached: ms <= mostMs,
    },
    { what: '  against hello', measured: `${median(ratios).toFixed(1)}x` },
  ]
}

const requestOf = (path: string, cookie?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n${cookie === undefined ? '' : `Cookie: ${cookie}\r\n`}\r\n`

async function sizeOf(port: number, request: string): Promise<number> {
  using connection = openConnection(port)
  const { status, size } = await connection.ask(request)
  if (status !== 200) throw new Error(`The page was answered with ${status}.`)
  return size
}

async function makeSite(app: App): Promise<UsedSite> {
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  await createTenant(app.control, { id: 'cats', hostname: 'localhost', isEnabled: true })
  await installTenant(app.control, 'cats', account)
  const site = await openSite(app.control, await readTenant(app.control, 'cats'))
  await changeSetting(changingSite(site), 'listing', 'public')
  return site
}

const uploadKey = (site: Site, userId: string): Promise<string> =>
  createUserKey(changingSite(site), { userId, name: 'bench', scope: 'upload' })

async function sessionCookie(site: Site, userId: string): Promise<string> {
  const steps = { method: 'password', factor: null } as const
  const session = { userId, userAgent: 'bench', address: '127.0.0.1', isLasting: true, steps }
  return `terrace-session=${(await createSession(changingSite(site), session)).token}`
}

async function uploadPicture({ port }: ChildServer, key: string): Promise<string> {
  const picture = sharp({ create: { width: 1_200, height: 800, channels: 3, background: '#369' } }).jpeg()
  const form = new FormData()
  form.set('source', new Blob([new Uint8Array(await picture.toBuffer())]), 'picture.jpg')
  const headers = { 'x-api-key': key }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', headers, body: form })
  const { image } = (await answer.json()) as { image?: { path_viewer: string } }
  if (!image) throw new Error(`The upload was answered with ${answer.status}.`)
  return image.path_viewer
}

/** Rows like that of the uploaded file; pages read no bytes. */
async function copyFile({ db }: Site): Promise<void> {
  const row = await db.selectFrom('file').selectAll().executeTakeFirstOrThrow()
  const rows = Array.from({ length: fileCount - 1 }, (_, index) => ({
    ...row,
    id: `f${index}`,
    name: `f${index}`,
    nameKey: `f${index}`,
    title: `File ${index}`,
  }))
  await insertSiteRows(db, 'file', rows)
}
