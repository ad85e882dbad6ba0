import pg from 'pg'
import { Refusal } from '../lib/refusal.ts'
import { storeFault } from './faults.ts'
import type { Migration } from './migrations/migration.ts'
import { migratePostgres } from './migrations/postgres-migrator.ts'

interface Preparation {
  steps: readonly Migration[]
  /** Refuses a database that is not ours, before anything is made in it. */
  check: (client: pg.ClientBase) => Promise<void>
}

/** Brings a database up to date, on a connection that is not waited for without end. */
export async function preparePostgres(url: string, { steps, check }: Preparation): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'terrace-migrate',
    connectionTimeoutMillis: 5_000,
  })
  // Without a listener a connection that breaks would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await check(client)
    await migratePostgres(client, steps)
  } catch (error) {
    throw storeFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Numbers of sites are an installation's own: two in one database would write each other's rows. */
export async function refuseOthersSites(client: pg.ClientBase): Promise<void> {
  if (await hasTable(client, 'placeMark')) throw othersDatabase()
}

/** Leaves the installation's mark, or finds it. The first one to leave it has the database for its sites. */
export const claimFor = (installation: string) => async (client: pg.ClientBase) => {
  if (await hasTable(client, 'meta')) {
    // Another one's own database; our own bears our name.
    const { rows } = await client.query<{ value: string }>(
      `select "value" from "meta" where "name" = 'installation'`,
    )
    if (rows[0]?.value !== installation) throw othersDatabase()
    return
  }
  await client.query('select pg_advisory_lock($1)', [markLock])
  try {
    await client.query(
      'create table if not exists "placeMark" ("id" integer primary key check ("id" = 1), "installation" text not null)',
    )
    await client.query('insert into "placeMark" values (1, $1) on conflict do nothing', [installation])
    const { rows } = await client.query<{ installation: string }>('select "installation" from "placeMark"')
    if (rows[0]?.installation !== installation) throw othersDatabase()
  } finally {
    await client.query('select pg_advisory_unlock($1)', [markLock])
  }
}

/** Any number, but not the one that migrations are done under. */
const markLock = 7_238_118

async function hasTable(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>('select to_regclass($1) as found', [
    `"${name}"`,
  ])
  return rows[0]?.found != null
}

const othersDatabase = () =>
  new Refusal(
    'conflict',
    'others-database',
    'This database holds the sites of another installation. Give each installation a database of its own.',
  )
