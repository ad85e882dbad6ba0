import { type Message, message } from '../../lib/messages.ts'
import { storeFault } from '../faults.ts'
import type { Inspector } from '../inspector.ts'
import { controlMigrations } from '../migrations/control.ts'
import type { Migration } from '../migrations/migration.ts'
import { siteMigrations } from '../migrations/site.ts'
import { siteTableNames } from '../tables.ts'
import { distributionFaults } from './distribution.ts'
import { addressOf } from './hosts/address.ts'
import { refuseOtherDatabase } from './pooler.ts'

export async function inspectPostgres(url: string, directUrl?: string): Promise<Inspector | undefined> {
  await using undo = new AsyncDisposableStack()
  const address = addressOf(url, directUrl)
  await refuseOtherDatabase(address)
  const client = await address.sessionHosts.connect({
    application_name: 'terrace-doctor',
    connectionTimeoutMillis: 30_000,
    isForReading: true,
  })
  undo.defer(() => client.end().catch(() => undefined))
  await client.query('set session characteristics as transaction read only')
  const ask = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      return (await client.query(text, values)).rows as Row[]
    } catch (error) {
      throw storeFault(error)
    }
  }
  const [server] = await ask<{ version: string; steps: string | null }>(
    `select current_setting('server_version') as version, to_regclass('"migration"')::text as steps`,
  )
  if (!server?.steps) return undefined
  const pending = async (steps: readonly Migration[]) => {
    const applied = await ask<{ name: string }>('select "name" from "migration"')
    return steps.filter(({ name }) => !applied.some((row) => row.name === name)).map(({ name }) => name)
  }
  const references = await referencesOf(ask)
  const distribution = await distributionFaults(ask)
  const isOfSites = ({ child }: Reference) =>
    siteTableNames.some((name) => name === child.replaceAll('"', ''))
  const all = undo.move()
  return {
    kind: 'postgres',
    version: server.version.split(' ')[0] ?? '',
    pendingControl: () => pending(controlMigrations),
    pendingSite: () => pending(siteMigrations),
    faultsOfControl: () =>
      brokenOf(
        ask,
        references.filter((each) => !isOfSites(each)),
      ),
    // Citus joins no table of the coordinator with one of the workers.
    faultsOfSite: async (site) =>
      distribution.length > 0 ? distribution : brokenOf(ask, references.filter(isOfSites), site),
    faultsOfDistribution: async () => distribution,
    sites: () => sitesWithRows(ask),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

type Ask = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

interface Reference {
  /** Quoted. */
  child: string
  parent: string
  childColumns: string[]
  parentColumns: string[]
}

function referencesOf(ask: Ask): Promise<Reference[]> {
  const columns = (table: string, keys: string) =>
    `array(select quote_ident(attname) from unnest(${keys}) with ordinality as k(number, position)
      join pg_attribute on attrelid = ${table} and attnum = k.number order by k.position)`
  return ask<Reference>(
    `select quote_ident(one.relname) as child, quote_ident(two.relname) as parent,
      ${columns('conrelid', 'conkey')} as "childColumns", ${columns('confrelid', 'confkey')} as "parentColumns"
     from pg_constraint
     join pg_class one on one.oid = conrelid join pg_class two on two.oid = confrelid
     where contype = 'f'
       and one.relnamespace = (select relnamespace from pg_class where oid = to_regclass('"migration"'))
     order by 1, 2`,
  )
}

/** Counts rows that refer to a missing row, for all foreign keys in one statement. */
async function brokenOf(ask: Ask, references: readonly Reference[], site?: number): Promise<Message[]> {
  if (references.length === 0) return []
  const counts = references.map(({ child, parent, childColumns, parentColumns }, index) => {
    const isSet = childColumns.map((name) => `c.${name} is not null`)
    const isSame = childColumns.map((name, column) => `p.${parentColumns[column]} = c.${name}`)
    const isHere = site === undefined ? [] : [`c."site" = $1`]
    return `select ${index} as index, count(*)::int as count from ${child} c
      where ${[...isHere, ...isSet].join(' and ')}
        and not exists (select from ${parent} p where ${isSame.join(' and ')})`
  })
  const rows = await ask<{ index: number; count: number }>(
    counts.join(' union all '),
    site === undefined ? [] : [site],
  )
  return rows.flatMap(({ index, count }) => {
    const { child, parent } = references[index] as Reference
    return count === 0
      ? []
      : [message('rowsWithoutParent', { count, table: quoted(child), parent: quoted(parent) })]
  })
}

const quoted = (name: string) => (name.startsWith('"') ? name : `"${name}"`)

/** A loose index scan: `site` leads every primary key, so each step finds the next site in the index. */
const nextSites = (table: string) =>
  `with recursive known as (
     select min("site") as "site" from "${table}"
     union all
     select (select min("site") from "${table}" where "site" > known."site") from known
     where known."site" is not null
   ) select "site" from known where "site" is not null`

/** Citus has no recursive queries over several shards. */
const allSites = (table: string) => `select distinct "site" from "${table}"`

async function sitesWithRows(ask: Ask): Promise<number[]> {
  const [{ isCitus } = { isCitus: false }] = await ask<{ isCitus: boolean }>(
    `select to_regclass('pg_dist_partition') is not null as "isCitus"`,
  )
  const found = new Set<number>()
  for (const table of siteTableNames) {
    const rows = await ask<{ site: number }>(isCitus ? allSites(table) : nextSites(table))
    for (const { site } of rows) found.add(site)
  }
  return [...found].sort((one, two) => one - two)
}
