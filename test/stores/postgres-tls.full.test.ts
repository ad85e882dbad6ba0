import assert from 'node:assert/strict'
import { afterAll, beforeAll } from 'vitest'
import { PostgresHosts } from '../../src/db/postgres/hosts/hosts.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { makeCertificates } from '../support/servers/certificates.ts'
import { ask } from '../support/stores/citus.ts'
import { startPostgres } from '../support/stores/postgres-server.ts'
import { runHere } from '../support/tool.ts'
import { uploaded } from '../support/uploads.ts'

const { describe, test, isMet } = await needing('openssl')

/** The name of the server's certificate; 127.0.0.1 is none of its names. */
const named = 'localhost'

const accessRules = `
hostssl   all certified all cert
hostssl   all encrypted all trust
hostnossl all plain     all trust
host      all postgres  all trust
`

let certificates: Awaited<ReturnType<typeof makeCertificates>>
let server: Awaited<ReturnType<typeof startPostgres>>

beforeAll(async () => {
  if (!isMet) return
  certificates = await makeCertificates()
  certificates.authority('authority')
  certificates.authority('stranger')
  certificates.signed('server', 'authority', { commonName: named })
  certificates.signed('client', 'authority', { commonName: 'certified' })
  certificates.signed('other', 'authority', { commonName: 'other' })
  certificates.giveToPostgres('server.key')
  server = await startPostgres([
    'ssl=on',
    ...['cert', 'key'].map(
      (kind) => `ssl_${kind}_file=${certificates.path(`server.${kind.replace('cert', 'crt')}`)}`,
    ),
    `ssl_ca_file=${certificates.path('authority.crt')}`,
    `hba_file=${certificates.write('pg_hba.conf', accessRules)}`,
  ])
  for (const name of ['certified', 'encrypted', 'plain'])
    await ask(server.url, `create role ${name} login superuser`)
})

afterAll(async () => {
  if (!isMet) return
  await server[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})

interface Way {
  host?: string
  user?: string
  /** `@name` stands for the path of this file. */
  parameters: string
}

function urlOf({ host = '127.0.0.1', user = 'postgres', parameters }: Way, database = 'postgres'): string {
  const files = parameters.replaceAll(/@([\w.]+)/g, (_, name) => encodeURIComponent(certificates.path(name)))
  return `postgres://${user}:a-secret-word@${host}:${new URL(server.url).port}/${database}?${files}`
}

async function isEncrypted(way: Way): Promise<boolean> {
  const client = await new PostgresHosts(urlOf(way)).connect({ connectionTimeoutMillis: 30_000 })
  try {
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    return rows[0].ssl
  } finally {
    await client.end()
  }
}

describe('a PostgreSQL with TLS', () => {
  test.each<Way & { isTls: boolean }>([
    { parameters: '', isTls: true },
    { parameters: 'sslmode=disable', isTls: false },
    { parameters: 'sslmode=allow', isTls: false },
    { parameters: 'sslmode=allow', user: 'encrypted', isTls: true },
    { parameters: 'sslmode=prefer', isTls: true },
    { parameters: 'sslmode=prefer', user: 'plain', isTls: false },
    { parameters: 'sslmode=prefer&sslrootcert=@stranger.crt', isTls: false },
    { parameters: 'sslmode=require', isTls: true },
    { parameters: 'ssl=true', isTls: true },
    { parameters: 'sslmode=require&sslrootcert=@authority.crt', isTls: true },
    { parameters: 'sslmode=verify-ca&sslrootcert=@authority.crt', isTls: true },
    { parameters: 'sslmode=verify-full&sslrootcert=@authority.crt', host: named, isTls: true },
    { parameters: 'sslmode=require&sslcert=@client.crt&sslkey=@client.key', user: 'certified', isTls: true },
  ])('$parameters as $user: encrypted is $isTls', async ({ isTls, ...way }) => {
    assert.equal(await isEncrypted(way), isTls)
  })

  test.each<Way & { cause: RegExp }>([
    { parameters: 'sslmode=disable', user: 'encrypted', cause: /no pg_hba.conf entry .* no encryption/ },
    { parameters: 'sslmode=require', user: 'plain', cause: /no pg_hba.conf entry .* SSL encryption/ },
    {
      parameters: 'sslmode=require&sslrootcert=@stranger.crt',
      cause: /not signed by an authority of sslrootcert/,
    },
    {
      parameters: 'sslmode=verify-ca&sslrootcert=@stranger.crt',
      cause: /not signed by an authority of sslrootcert/,
    },
    { parameters: 'sslmode=verify-full', host: named, cause: /not signed by an authority/ },
    {
      parameters: 'sslmode=verify-full&sslrootcert=@authority.crt',
      cause: /for another name, which sslmode=verify-full/,
    },
    {
      parameters: 'sslmode=require&sslrootcert=@missing.crt',
      cause: /sslrootcert: the file ".*missing.crt" cannot be read \(ENOENT\)/,
    },
    { parameters: 'sslmode=require', user: 'certified', cause: /client certificate/ },
    {
      parameters: 'sslmode=require&sslcert=@other.crt&sslkey=@other.key',
      user: 'certified',
      cause: /certificate authentication failed/,
    },
  ])('$parameters as $user to $host is refused: $cause', async ({ cause, ...way }) => {
    const environment = { SERVICE_DATABASE_URL: urlOf(way), SERVICE_DATA_DIR: certificates.path('data') }
    const { code, err } = await runHere(['tenants', 'list'], environment)
    assert.equal(code, 1)
    assert.match(err, /The database cannot be reached/)
    assert.match(err, cause)
    assert.doesNotMatch(err, /a-secret-word/)
  })

  test('control rows, a direct URL and a tenant of its own database are all encrypted', async () => {
    for (const name of ['control', 'placed']) await ask(server.url, `create database ${name}`)
    const way = {
      host: named,
      user: 'encrypted',
      parameters: 'sslmode=verify-full&sslrootcert=@authority.crt',
    }
    await using app = await startTestApp({
      environment: {
        SERVICE_DATABASE_URL: urlOf(way, 'control'),
        SERVICE_DATABASE_DIRECT_URL: urlOf(way, 'control'),
      },
    })
    const env = { SERVICE_DATABASE_URL: urlOf(way, 'placed') }
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true, env })
    const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
    const installed = await app.call('POST', 'tenants/cats/install', account)
    assert.equal(installed.status, 201, installed.text)
    await uploaded(app, { id: 'cats', hostname: 'cats.test', apiKey: installed.json.api_key })
    const rows = await ask<{ datname: string; ssl: boolean }>(
      server.url,
      `select distinct datname, ssl from pg_stat_activity join pg_stat_ssl using (pid)
       where application_name like 'terrace%' order by datname`,
    )
    assert.deepEqual(rows, [
      { datname: 'control', ssl: true },
      { datname: 'placed', ssl: true },
    ])
  })
})
