import type pg from 'pg'
import { Refusal } from '../../lib/refusal.ts'
import { storeFault } from '../faults.ts'
import type { Migration } from '../migrations/migration.ts'
import { distributeNewTables } from './distribution.ts'
import type { PostgresHosts } from './hosts/hosts.ts'
import { migratePostgres } from './migrator.ts'
import { refuseTransactionPooler } from './pooler.ts'

interface Preparation {
  steps: readonly Migration[]
  /** Refuses a database of another installation, before anything is created in it. */
  check: (client: pg.ClientBase) => Promise<void>
}

/** Migrates a database on a connection of its own, without the statement time-out of the pool. */
export async function preparePostgres(hosts: PostgresHosts, { steps, check }: Preparation): Promise<void> {
  const client = await hosts.connect({ application_name: 'terrace-migrate', connectionTimeoutMillis: 5_000 })
  try {
    await refuseTransactionPooler(client, hosts)
    await check(client)
    await migratePostgres(client, steps, distributeNewTables)
  } catch (error) {
    throw storeFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Every installation numbers its sites from 1: two of them in one database would write each other's rows. */
export async function refuseOthersSites(client: pg.ClientBase): Promise<void> {
  if (await hasTable(client, 'placeMark')) throw othersDatabase()
}

/** Claims a database for an installation's sites; the first installation to claim it keeps it. */
export const claimFor = (installation: string) => async (client: pg.ClientBase) => {
  if (await hasTable(client, 'meta')) {
    // Some installation's own database: allowed only if it is this installation.
    const { rows } = await client.query<{ value: string }>(
      `select "value" from "meta" where "name" = 'installation'`,
    )
    if (rows[0]?.value !== installation) throw othersDatabase()
    return
  }
  await client.query('select pg_advisory_lock($1)', [claimLock])
  try {
    await client.query(
      'create table if not exists "placeMark" ("id" integer primary key check ("id" = 1), "installation" text not null)',
    )
    await client.query('insert into "placeMark" values (1, $1) on conflict do nothing', [installation])
    const { rows } = await client.query<{ installation: string }>('select "installation" from "placeMark"')
    if (rows[0]?.installation !== installation) throw othersDatabase()
  } finally {
    await client.query('select pg_advisory_unlock($1)', [claimLock])
  }
}

/** Any number but the one of the migrations. */
const claimLock = 7_238_118

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
    'This database has the sites of another installation. Give each installation its own database.',
  )
