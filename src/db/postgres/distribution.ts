import type pg from 'pg'
import { type Message, message } from '../../lib/messages.ts'
import { Refusal } from '../../lib/refusal.ts'
import { retryInterfered, storeFault } from '../faults.ts'
import { siteTableNames } from '../tables.ts'
import type { PostgresHosts } from './hosts/hosts.ts'
import { migrationLock } from './migrator.ts'

/** Every table of sites, in the order in which they reference each other. */
const tables = [...siteTableNames, 'gate', 'rowVersion'] as const
/** The other tables are colocated with this one: the rows of a site are on one worker. */
const [anchor] = tables

type Ask = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

const asking =
  (client: pg.ClientBase): Ask =>
  async <Row>(text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as Row[]

const quoted = (table: string) => `"${table}"`

/** Uploads wait up to five seconds for a lock; a transaction that holds one ends sooner than this. */
const lockWait = '20s'

/**
 * Distributes all tables of sites by `site` on Citus, in one transaction; returns those that were not distributed yet. All
 * tables are locked first: without that, transactions in progress and this one would wait for each other.
 */
export async function distributeSiteTables(hosts: PostgresHosts): Promise<string[]> {
  const client = await hosts.connect({
    application_name: 'terrace-distribute',
    connectionTimeoutMillis: 5_000,
  })
  try {
    if (!(await isCitus(asking(client)))) throw notCitus()
    // Without a lock: a migration commits a new table and its distribution together.
    if ((await localTables(asking(client))).length === 0) return []
    return await retryInterfered(() => tryToDistribute(client))
  } catch (error) {
    throw storeFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function tryToDistribute(client: pg.ClientBase): Promise<string[]> {
  const ask = asking(client)
  await ask('begin')
  try {
    await ask('select pg_advisory_xact_lock($1)', [migrationLock])
    await ask(`set local lock_timeout = '${lockWait}'`)
    // Shards of tables that reference each other are created by one connection to each worker.
    await ask(`set local citus.multi_shard_modify_mode = 'sequential'`)
    await ask(`lock table ${tables.map(quoted).join(', ')} in access exclusive mode`)
    const missing = await localTables(ask)
    for (const table of missing) await distribute(ask, table)
    await clearLocalRows(ask, missing)
    await ask('commit')
    return missing
  } catch (error) {
    await ask('rollback')
    throw error
  }
}

/** After a migration step, in its transaction: a new table joins the others if those are distributed. */
export async function distributeNewTables(client: pg.ClientBase): Promise<void> {
  const ask = asking(client)
  if (!(await isCitus(ask))) return
  const missing = await localTables(ask)
  if (missing.includes(anchor)) return
  for (const table of missing) await distribute(ask, table)
  await clearLocalRows(ask, missing)
}

/** What is wrong with the distribution: nothing if no table is distributed. */
export async function distributionFaults(ask: Ask): Promise<Message[]> {
  if (!(await isCitus(ask))) return []
  const missing = await localTables(ask)
  if (missing.length === tables.length) return []
  const apart = await ask<{ table: string }>(
    `select relname as "table" from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
     where relname = any($1) and colocationid is distinct from (
       select colocationid from pg_dist_partition where logicalrelid = to_regclass($2)
     ) order by relname`,
    [tables, quoted(anchor)],
  )
  return [
    ...missing.map((table) => message('tableNotDistributed', { table })),
    ...apart.map(({ table }) => message('tableNotColocated', { table, anchor })),
  ]
}

async function isCitus(ask: Ask): Promise<boolean> {
  const [row] = await ask<{ found: boolean }>(`select to_regclass('pg_dist_partition') is not null as found`)
  return row?.found === true
}

/** Tables of sites that exist and are not distributed. */
async function localTables(ask: Ask): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass(quote_ident(name)) is not null
       and not exists (select from pg_dist_partition where logicalrelid = to_regclass(quote_ident(name)))`,
    [tables],
  )
  const found = new Set(rows.map(({ name }) => name))
  return tables.filter((table) => found.has(table))
}

async function distribute(ask: Ask, table: string): Promise<void> {
  // Citus distributes no table with a trigger. Changes of the audit log are then found by its chain of hashes alone.
  if (table === 'audit') await ask('drop trigger if exists "audit_kept" on "audit"')
  const colocation = table === anchor ? 'none' : quoted(anchor)
  await ask(`select create_distributed_table($1::regclass, 'site', colocate_with => $2)`, [
    quoted(table),
    colocation,
  ])
}

/** The rows were copied to the workers; the coordinator keeps its own until they are deleted. Children before their parents. */
async function clearLocalRows(ask: Ask, distributed: readonly string[]): Promise<void> {
  for (const table of distributed.toReversed())
    await ask('select truncate_local_data_after_distributing_table($1::regclass)', [quoted(table)])
}

const notCitus = () =>
  new Refusal(
    'conflict',
    'not-citus',
    'The database is not a Citus coordinator: it has no extension "citus". Create it (create extension citus), add the workers, and repeat the command.',
  )
