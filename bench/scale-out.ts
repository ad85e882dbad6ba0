import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../test/postgres-server.ts'
import { drawPhoto } from './photos.ts'
import { cpuOfTree } from './processes.ts'
import { type Line, median, print } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const photo = { what: 'JPEG of 1280 pixels', width: 1280, height: 960 }
const rounds = 5
const uploadsEach = 60
const clients = 8

/** The same uploads by the same clients, to one server process and to two, on one PostgreSQL. */
export async function benchScaleOut(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  try {
    await using postgres = await startPostgres(['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'])
    await using one = await startServer(folder, postgres.url)
    await using two = await startServer(folder, postgres.url)
    const path = join(folder, 'photo.jpeg')
    await drawPhoto(path, photo)
    const bytes = await readFile(path)
    const key = one.told.uploadKey ?? ''
    const measure = (servers: readonly ChildServer[]) => uploadAll(servers, { bytes, key })
    await measure([one, two])

    const rates = { one: [] as number[], two: [] as number[] }
    const before = cpuOfTree(postgres.pid)
    for (let round = 0; round < rounds; round += 1) {
      rates.one.push(await measure([one]))
      rates.two.push(await measure([one, two]))
    }
    const cpuMs = (cpuOfTree(postgres.pid) - before) / (2 * rounds * uploadsEach)
    print(`Uploads a second on one PostgreSQL, ${photo.what}, ${clients} clients`, [
      rateLine('one server process', rates.one),
      rateLine('two server processes', rates.two),
      { what: 'two against one', measured: `${(median(rates.two) / median(rates.one)).toFixed(2)}x` },
      { what: 'CPU of PostgreSQL for an upload', measured: `${cpuMs.toFixed(1)} ms` },
      { what: 'rows of a file, with indexes', measured: `${await bytesOfFile(postgres.url)} bytes` },
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const rateLine = (what: string, rates: readonly number[]): Line => ({
  what,
  measured: `${median(rates).toFixed(1)} (${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)})`,
})

/** They share the folder, since no bucket is measured here. */
function startServer(folder: string, databaseUrl: string): Promise<ChildServer> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  return startChild('./terrace.ts', {
    SERVICE_DATA_DIR: join(folder, 'data'),
    SERVICE_DATABASE_URL: databaseUrl,
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    SERVICE_LOG_LEVEL: 'error',
  })
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

async function upload({ port }: ChildServer, { bytes, key }: Sending): Promise<void> {
  const body = new FormData()
  body.append('source', new Blob([new Uint8Array(bytes)]), 'photo.jpg')
  const headers = { 'x-api-key': key }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', body, headers })
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
