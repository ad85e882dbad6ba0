import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserKey } from '../src/accounts/index.ts'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { insertSiteRows, inTransaction, type SiteDb } from '../src/db/index.ts'
import { fileWords } from '../src/media/search/words.ts'
import { changingSite, lockTotal, recountTotals, type Site, type UsedSite } from '../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../src/tenants/index.ts'
import { openConnection } from './connection.ts'
import { firstAt, rowOf } from './file-row.ts'
import { cpuPerRequest } from './load.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const fileCount = 100_000
const bulkSize = 500

/**
 * Files of `/api/5` in a site of 100,000, on SQLite, against the least that each call could do; the baselines take turns with what is
 * measured, because a busy machine slows both.
 *
 * - hello: `node:http` without a framework, which answers with as many bytes as the file has in JSON. No key, no row, no rule.
 * - a page: a select of 51 rows and one of their tags, built by Kysely and written by `JSON.stringify`, in this process.
 * - a transaction: what a new title has to write, by the same writer thread and with the same sync to disk: the site lock, the row
 *   read and updated, the words of the search. A bare update of one column is measured beside it.
 */
export async function benchMedia(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-media-'))
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  const settings = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: listen,
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_RATE_READS: '0',
    SERVICE_RATE_WRITES: '0',
    SERVICE_RATE_SEARCH: '0',
  }
  try {
    await using app = await openApp(readConfig(settings, '/'))
    await using site = await makeSite(app)
    const key = await adminKey(site)
    await using server = await startChild('./terrace.ts', settings)
    const ask = askerOf(key)
    const { size } = await openedOnce(server.port, ask('GET', 'files/f77'))
    await using hello = await startChild('./bare.ts', { size })
    print(`Files of /api/5, ${fileCount} in a site on SQLite`, [
      await compareFile(server, hello, ask),
      ...(await comparePages(server, { site, key }, ask)),
      await tagsLine(server, ask),
      ...(await compareChanges(server, site, ask)),
    ])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function makeSite(app: App): Promise<UsedSite> {
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  await createTenant(app.control, { id: 'cats', hostname: 'localhost', isEnabled: true })
  await installTenant(app.control, 'cats', account)
  const site = await openSite(app.control, await readTenant(app.control, 'cats'))
  const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  await fill(site, userId)
  await recountTotals(changingSite(site))
  return site
}

async function adminKey(site: Site): Promise<string> {
  const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  return createUserKey(changingSite(site), { userId, name: 'bench', scope: 'admin' })
}

async function openedOnce(port: number, request: string) {
  using connection = openConnection(port)
  return await connection.ask(request)
}

const batch = 500

async function fill(site: Site, userId: string): Promise<void> {
  await insertSiteRows(site.db, 'tag', [{ name: 'cat', createdAt: new Date(firstAt).toISOString() }])
  for (let from = 0; from < fileCount; from += batch) {
    const rows = Array.from({ length: batch }, (_, index) => rowOf(from + index, userId))
    await site.db.transaction().execute(async (db) => {
      await insertSiteRows(db, 'file', rows)
      await insertSiteRows(
        db,
        'fileTag',
        rows.map(({ id }) => ({ fileId: id, tagName: 'cat' })),
      )
      await insertSiteRows(db, 'fileText', rows.map(wordsOf))
    })
  }
}

const wordsOf = ({ id, title, name, extension, createdAt }: ReturnType<typeof rowOf>) => ({
  number: Date.parse(createdAt) * 1_024,
  fileId: id,
  ...fileWords({ title, name, extension, description: undefined }, ['cat']),
})

const barePages = 100

/** CPU of a page in this process, in microseconds. */
async function barePage(db: SiteDb): Promise<number> {
  const read = async () => {
    const files = await db
      .selectFrom('file')
      .selectAll()
      .where('deletedAt', 'is', null)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(51)
      .execute()
    const ids = files.map(({ id }) => id)
    const tags = await db.selectFrom('fileTag').selectAll().where('fileId', 'in', ids).execute()
    return JSON.stringify({ files, tags }).length
  }
  for (let round = 0; round < barePages; round += 1) await read()
  const before = process.cpuUsage()
  for (let round = 0; round < barePages; round += 1) await read()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / barePages
}

/** Milliseconds of each of these transactions, one after the other. */
async function timesOf(
  numbers: readonly number[],
  work: (id: string, number: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = []
  for (const number of numbers) {
    const started = performance.now()
    await work(`f${number}`, number)
    times.push(performance.now() - started)
  }
  return times
}

const bareUpdate = (db: SiteDb, id: string, title: string) =>
  db
    .updateTable('file')
    .set((row) => ({ title, version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()

const bareChange = (db: SiteDb, id: string, title: string) =>
  inTransaction(db, async (transaction) => {
    await lockTotal(transaction, 'files')
    await transaction.selectFrom('file').selectAll().where('id', '=', id).execute()
    await bareUpdate(transaction, id, title)
    const words = fileWords({ title, name: id, extension: 'jpg', description: undefined }, ['cat'])
    await transaction.updateTable('fileText').set(words).where('fileId', '=', id).execute()
  })

type Ask = (method: string, path: string, body?: object) => string

const askerOf =
  (key: string): Ask =>
  (method, path, body) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const length =
      body === undefined
        ? ''
        : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
    return `${method} /api/5/${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n${length}\r\n${text}`
  }

async function compareFile(server: ChildServer, hello: ChildServer, ask: Ask): Promise<Line> {
  const ratios: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const bare = await cpuPerRequest(hello, {
      request: 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
      requests: 2_000,
    })
    ratios.push((await cpuPerRequest(server, { request: ask('GET', 'files/f77'), requests: 2_000 })) / bare)
  }
  return ratioLine('CPU of one file against hello', median(ratios), 3)
}

async function comparePages(
  server: ChildServer,
  { site, key }: { site: Site; key: string },
  ask: Ask,
): Promise<Line[]> {
  const last = await cursorOfLastPage(server, key)
  const against: number[] = []
  const lastAgainstFirst: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const bare = await barePage(site.db)
    const first = await cpuPerRequest(server, { request: ask('GET', 'files'), requests: 300 })
    const final = await cpuPerRequest(server, { request: ask('GET', `files?cursor=${last}`), requests: 300 })
    against.push(first / bare)
    lastAgainstFirst.push(final / first)
  }
  return [
    ratioLine('CPU of a page of 50 against its query and JSON', median(against), 2),
    ratioLine('CPU of the last page against the first', median(lastAgainstFirst), 1.2),
  ]
}

/** One tag that every file has: 150 ms when its files were counted by each request. */
async function tagsLine(server: ChildServer, ask: Ask): Promise<Line> {
  const spent: number[] = []
  for (let round = 0; round < 5; round += 1)
    spent.push((await cpuPerRequest(server, { request: ask('GET', 'tags'), requests: 100 })) / 1_000)
  const ms = median(spent)
  const measured = `${ms.toFixed(2)} ms`
  return { what: 'CPU of the tags with their counts', measured, reach: '<= 2 ms', isReached: ms <= 2 }
}

async function cursorOfLastPage(server: ChildServer, key: string): Promise<string> {
  let [cursor, last] = ['', '']
  for (;;) {
    const path = `files?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`
    const answer = await fetch(`http://localhost:${server.port}/api/5/${path}`, {
      headers: { 'x-api-key': key },
    })
    const { next_cursor: next } = (await answer.json()) as { next_cursor: string | null }
    if (next === null) return last
    ;[last, cursor] = [next, next]
  }
}

const blocks = 5
const changesOfBlock = 100

async function compareChanges(server: ChildServer, { db }: Site, ask: Ask): Promise<Line[]> {
  using connection = openConnection(server.port)
  const patch = async (id: string, number: number) => {
    const { status } = await connection.ask(ask('PATCH', `files/${id}`, { title: `New ${number}` }))
    if (status !== 200) throw new Error(`PATCH was answered with ${status}.`)
  }
  const patches: number[] = []
  const transactions: number[] = []
  const updates: number[] = []
  for (let block = 0; block < blocks; block += 1) {
    const numbers = (from: number) =>
      Array.from({ length: changesOfBlock }, (_, index) => from + block * changesOfBlock + index)
    transactions.push(
      ...(await timesOf(numbers(10_000), (id, number) => bareChange(db, id, `New ${number}`))),
    )
    patches.push(...(await timesOf(numbers(20_000), patch)))
    updates.push(...(await timesOf(numbers(30_000), (id, number) => bareUpdate(db, id, `New ${number}`))))
  }
  const ids = Array.from({ length: bulkSize }, (_, index) => `f${2_000 + index}`)
  const bulks = await timesOf([0, 1, 2, 3, 4], async (_, round) => {
    const body = { action: 'edit', ids, set: { title: `Round ${round}` } }
    const { status } = await connection.ask(ask('POST', 'files/bulk', body))
    if (status !== 200) throw new Error(`A bulk edit was answered with ${status}.`)
  })
  const ofUpdates = median(patches) / median(updates)
  return [
    ratioLine('a PATCH against its transaction', median(patches) / median(transactions), 1.5),
    { what: 'a PATCH against one bare update', measured: `${ofUpdates.toFixed(2)}x` },
    ratioLine('a bulk edit of 500 against 500 PATCHes', median(bulks) / (median(patches) * bulkSize), 0.2),
  ]
}
