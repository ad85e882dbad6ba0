import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { inject } from 'vitest'

let server: Promise<string> | undefined

/** A new empty database on the PostgreSQL of this test run. */
export async function freshDatabaseUrl(): Promise<string> {
  const url = new URL(await serverUrl())
  const name = `test_${randomBytes(8).toString('hex')}`
  await ask(url.href, `CREATE DATABASE ${name}`)
  url.pathname = name
  return url.href
}

/** Whoever is still connected to it is thrown out. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await ask(await serverUrl(), `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
}

function serverUrl(): Promise<string> {
  server ??= knock()
  return server
}

async function knock(): Promise<string> {
  const url = await text(connect(inject('postgresDoorPort'), '127.0.0.1'))
  if (url === '') throw new Error('PostgreSQL for the tests did not start, see above.')
  return url
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
