import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { addressOfRun } from '../run/run-servers.ts'

/** A new empty database on the PostgreSQL of this test run. */
export const freshDatabaseUrl = (): Promise<string> => createDatabase('')

/** A new database with the tables and rows of another, to which there must be no connection. */
export function copyOfDatabase(url: string): Promise<string> {
  return createDatabase(`TEMPLATE ${pg.escapeIdentifier(new URL(url).pathname.slice(1))}`)
}

async function createDatabase(options: string): Promise<string> {
  const url = new URL(await serverUrl())
  const name = `test_${randomBytes(8).toString('hex')}`
  await ask(url.href, `CREATE DATABASE ${name} ${options}`)
  url.pathname = name
  return url.href
}

/** Whoever is still connected to it is thrown out. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await ask(await serverUrl(), `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
}

/** Gives the planner its statistics, which a PostgreSQL in use has within a minute. */
export const analyzeDatabase = (url: string): Promise<void> => ask(url, 'ANALYZE')

async function serverUrl(): Promise<string> {
  const { address, fault } = await addressOfRun('postgres')
  if (address === undefined) throw new Error(`PostgreSQL for the tests did not start: ${fault}`)
  return address
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
