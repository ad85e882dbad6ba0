import pg from 'pg'
import { storeFault } from './faults.ts'
import type { Inspector } from './inspect.ts'
import { controlMigrations } from './migrations/control.ts'
import type { Migration } from './migrations/migration.ts'
import { siteMigrations } from './migrations/site.ts'
import { siteTableNames } from './tables.ts'

export async function inspectPostgres(url: string): Promise<Inspector | undefined> {
  await using undo = new AsyncDisposableStack()
  const client = new pg.Client({ connectionString: url, application_name: 'terrace-doctor' })
  undo.defer(() => client.end().catch(() => undefined))
  // Without a listener a connection that breaks would end the process.
  client.on('error', () => undefined)
  await client.connect().catch((error) => Promise.reject(storeFault(error)))
  await client.query('set session characteristics as transaction read only')
  const ask = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      return (await client.query(text, values)).rows as Row[]
    } catch (error) {
      throw storeFault(error)
    }
  }
  const [place] = await ask<{ version: string; steps: string | null }>(
    `select current_setting('server_version') as version, to_regclass('"migration"')::text as steps`,
  )
  if (!place?.steps) return undefined
  const pending = async (steps: readonly Migration[]) => {
    const applied = await ask<{ name: string }>('select "name" from "migration"')
    return steps.filter(({ name }) => !applied.some((row) => row.name === name)).map(({ name }) => name)
  }
  const references = await referencesOf(ask)
  const isOfSites = ({ child }: Reference) =>
    siteTableNames.some((name) => name === child.replaceAll('"', ''))
  const all = undo.move()
  return {
    kind: 'postgres',
    version: place.version.split(' ')[0] ?? '',
    pendingControl: () => pending(controlMigrations),
    pendingSite: () => pending(siteMigrations),
    faultsOfControl: () =>
      brokenOf(
        ask,
        references.filter((each) => !isOfSites(each)),
      ),
    faultsOfSite: (site) => brokenOf(ask, references.filter(isOfSites), site),
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
    `array(select quote_ident(attname) from unnest(${keys}) with ordinality as k(number, place)
      join pg_attribute on attrelid = ${table} and attnum = k.number order by k.place)`
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

/** Rows whose other end is missing, all references asked for at once. */
async function brokenOf(ask: Ask, references: readonly Reference[], site?: number): Promise<string[]> {
  if (references.length === 0) return []
  const counts = references.map(({ child, parent, childColumns, parentColumns }, place) => {
    const isSet = childColumns.map((name) => `c.${name} is not null`)
    const isSame = childColumns.map((name, column) => `p.${parentColumns[column]} = c.${name}`)
    const isHere = site === undefined ? [] : [`c."site" = $1`]
    return `select ${place} as place, count(*)::int as count from ${child} c
      where ${[...isHere, ...isSet].join(' and ')}
        and not exists (select from ${parent} p where ${isSame.join(' and ')})`
  })
  const rows = await ask<{ place: number; count: number }>(
    counts.join(' union all '),
    site === undefined ? [] : [site],
  )
  return rows.flatMap(({ place, count }) => {
    const { child, parent } = references[place] as Reference
    return count === 0
      ? []
      : [`${count} rows of ${quoted(child)} refer to a ${quoted(parent)} that is not there`]
  })
}

const quoted = (name: string) => (name.startsWith('"') ? name : `"${name}"`)

/** Each table is led by its sites, so that one look at the index finds the next of them. */
async function sitesWithRows(ask: Ask): Promise<number[]> {
  const found = new Set<number>()
  for (const table of siteTableNames) {
    const rows = await ask<{ site: number }>(
      `with recursive known as (
         select min("site") as "site" from "${table}"
         union all
         select (select min("site") from "${table}" where "site" > known."site") from known
         where known."site" is not null
       ) select "site" from known where "site" is not null`,
    )
    for (const { site } of rows) found.add(site)
  }
  return [...found].sort((one, two) => one - two)
}
