import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { distributeSiteTables } from '../src/db/postgres/distribution.ts'
import { PostgresHosts } from '../src/db/postgres/hosts/hosts.ts'
import { ask, freshCitusDatabase } from '../test/support/stores/citus.ts'
import { startPostgres } from '../test/support/stores/postgres-server.ts'
import { drawPhoto } from './photos.ts'
import { cpuOfService } from './processes.ts'
import { type Line, median, print } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const photo = { what: 'JPEG of 1280 pixels', width: 1280, height: 960 }
const rounds = 3
const uploadsEach = 40
const clients = 4

/** Servers on a database, and the processes of the database. */
interface Installation {
  what: string
  servers: readonly ChildServer[]
  key: string
  databasePids: readonly number[]
}

interface Round {
  perSecond: number
  serverMs: number
  databaseMs: number
}

/** Equal uploads by equally many clients: on SQLite, to one server process and to two on PostgreSQL, and on Citus if there is one. */
export async function benchScaleOut(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = undo.use(await startPostgres(['fsync=on', 'synchronous_commit=on', 'full_page_writes=on']))
  const one = undo.use(await startServer(join(folder, 'postgres'), postgres.url))
  const two = undo.use(await startServer(join(folder, 'postgres'), postgres.url))
  const file = undo.use(await startServer(join(folder, 'sqlite')))
  const onPostgres = { key: one.credentials.uploadKey ?? '', databasePids: [postgres.pid] }
  const installations: Installation[] = [
    { what: 'SQLite', servers: [file], key: file.credentials.uploadKey ?? '', databasePids: [] },
    { what: 'PostgreSQL, one server process', servers: [one], ...onPostgres },
    { what: 'PostgreSQL, two server processes', servers: [one, two], ...onPostgres },
  ]
  if (process.env.TEST_CITUS_URL) installations.push(await startOnCitus(undo, join(folder, 'citus')))

  const path = join(folder, 'photo.jpeg')
  await drawPhoto(path, photo)
  const bytes = await readFile(path)
  const found = new Map(installations.map((each) => [each, [] as Round[]]))
  for (const each of installations) await measure(each, bytes)
  for (let round = 0; round < rounds; round += 1)
    for (const [each, list] of found) list.push(await measure(each, bytes))
  print(`Uploads a second, ${photo.what}, ${clients} clients`, [
    ...[...found].flatMap(([{ what }, list]) => linesOf(what, list)),
    { what: 'rows of a file, with indexes', measured: `${await bytesOfFile(postgres.url)} bytes` },
  ])
}

async function measure(installation: Installation, bytes: Buffer): Promise<Round> {
  const { servers, key, databasePids } = installation
  const serverCpu = () => servers.reduce((sum, { pid }) => sum + cpuOfService(pid), 0)
  const databaseCpu = () => databasePids.reduce((sum, pid) => sum + cpuOfService(pid), 0)
  const [serverBefore, databaseBefore] = [serverCpu(), databaseCpu()]
  const perSecond = await uploadAll(servers, { bytes, key })
  return {
    perSecond,
    serverMs: (serverCpu() - serverBefore) / uploadsEach,
    databaseMs: (databaseCpu() - databaseBefore) / uploadsEach,
  }
}

function linesOf(what: string, rounds: readonly Round[]): Line[] {
  const rates = rounds.map(({ perSecond }) => perSecond)
  const range = `${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)}`
  const cpu = (part: 'serverMs' | 'databaseMs') => median(rounds.map((round) => round[part])).toFixed(1)
  return [
    { what, measured: `${median(rates).toFixed(1)} (${range})` },
    {
      what: '  CPU of an upload',
      measured: `${cpu('serverMs')} ms, and ${cpu('databaseMs')} of the database`,
    },
  ]
}

/** Servers of one database share the folder, since no bucket is measured here. */
function startServer(folder: string, databaseUrl?: string): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  return startChild('./terrace.ts', {
    SERVICE_DATA_DIR: folder,
    ...(databaseUrl !== undefined && { SERVICE_DATABASE_URL: databaseUrl }),
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    SERVICE_LOG_LEVEL: 'error',
  })
}

async function startOnCitus(undo: AsyncDisposableStack, folder: string): Promise<Installation> {
  const database = undo.use(await freshCitusDatabase())
  const server = undo.use(await startServer(folder, database.url))
  await distributeSiteTables(new PostgresHosts(database.url))
  const nodes = await ask<{ host: string; port: number }>(
    database.url,
    'select nodename as host, nodeport as port from pg_dist_node',
  )
  const databasePids = await Promise.all(
    nodes.map(async ({ host, port }) => {
      const url = Object.assign(new URL(database.url), { host: `${host}:${port}` })
      const [row] = await ask<{ pid: string }>(url, `select pg_read_file('postmaster.pid') as pid`)
      return Number.parseInt(row?.pid ?? '', 10)
    }),
  )
  const what = `Citus, ${nodes.length - 1} workers`
  return { what, servers: [server], key: server.credentials.uploadKey ?? '', databasePids }
}

interface Sending {
  bytes: Buffer
  key: string
}

/** Uploads a second. */
async function uploadAll(servers: readonly ChildServer[], sending: Sending): Promise<number> {
  let next = 0
  const started = performance.now()
  const work = async () => {
    while (next < uploadsEach) await upload(servers[next++ % servers.length] as ChildServer, sending)
  }
  await Promise.all(Array.from({ length: clients }, work))
  return (uploadsEach * 1_000) / (performance.now() - started)
}

async function upload({ port }: Pick<ChildServer, 'port'>, { bytes, key }: Sending): Promise<void> {
  const body = new FormData()
  body.append('source', new Blob([new Uint8Array(bytes)]), 'photo.jpg')
  const headers = { 'x-api-key': key }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', body, headers })
  if (answer.status === 503) {
    // A busy machine: all decoders are taken.
    await answer.arrayBuffer()
    await sleep(100)
    return upload({ port }, { bytes, key })
  }
  if (answer.status !== 200)
    throw new Error(`An upload was answered ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}

async function bytesOfFile(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const question = 'select pg_total_relation_size($1) / greatest(count(*), 1) as bytes from file'
  const { rows } = await client.query<{ bytes: string }>(question, ['file'])
  await client.end()
  return Number(rows[0]?.bytes)
}
