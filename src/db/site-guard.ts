import type { CompiledQuery } from 'kysely'
import { LruMap } from '../lib/lru.ts'
import { siteTableNames } from './tables.ts'

/**
 * The second wall between sites on PostgreSQL: a look at the finished text, right before it is sent.
 * It knows nothing of how the text was made. Each mention of a table needs a comparison of that table's `site`
 * with our own, and what a room wrote by hand may neither name a table nor open a bracket that it does not close.
 */
export function guardSite(query: CompiledQuery, site: number): void {
  const { places, fault } = inspected(query)
  if (fault !== undefined) throw new SiteLeak(fault, query.sql)
  for (const place of places) {
    if (query.parameters[place - 1] !== site) throw new SiteLeak('it names another site', query.sql)
  }
}

export class SiteLeak extends Error {
  constructor(fault: string, sql: string) {
    super(`A statement was stopped because ${fault}: ${sql}`)
    this.name = 'SiteLeak'
  }
}

interface Inspection {
  /** The parameters that must be our site's number. */
  places: readonly number[]
  fault?: string
}

const inspections = new LruMap<string, Inspection>(1_000)

function inspected(query: CompiledQuery): Inspection {
  const handwritten = handwrittenFault(query.query)
  if (handwritten !== undefined) return { places: [], fault: handwritten }
  let inspection = inspections.get(query.sql)
  if (!inspection) {
    inspection = inspectSql(query.sql)
    inspections.set(query.sql, inspection)
  }
  return inspection
}

const tableNames: ReadonlySet<string> = new Set(siteTableNames)
const comparison = /"([^"]+)"\."site" = \$(\d+)/g
const insertion =
  /^(?:with .*? )?insert into "([^"]+)" \("site"(?:, "[^"]+")*\) values (.*?)(?: on conflict| returning|$)/s

export function inspectSql(sql: string): Inspection {
  const text = sql.replaceAll(/'(?:[^']|'')*'/g, "''")
  const owners = tableMentions(text)
  const unknown = [...owners.values()].find((table) => !tableNames.has(table) && !withNames(text).has(table))
  if (unknown !== undefined) return { places: [], fault: `"${unknown}" is no table of a site` }

  const compared = new Map<string, number>()
  const places: number[] = []
  for (const [, name = '', place] of text.matchAll(comparison)) {
    compared.set(name, (compared.get(name) ?? 0) + 1)
    places.push(Number(place))
  }
  const inserted = insertion.exec(text)
  if (inserted) {
    const rows = firstPlaces(inserted[2] ?? '')
    if (!rows) return { places: [], fault: 'an inserted row does not carry the site' }
    places.push(...rows)
    compared.set(inserted[1] ?? '', (compared.get(inserted[1] ?? '') ?? 0) + 1)
  }
  for (const [name, table] of owners) {
    if (!tableNames.has(table)) continue
    if ((compared.get(name) ?? 0) === 0) return { places: [], fault: `"${table}" is not narrowed to a site` }
  }
  const total = [...compared.values()].reduce((sum, count) => sum + count, 0)
  const mentions = [...text.matchAll(mention)].filter(([, name = '']) => tableNames.has(name)).length
  if (total < mentions) return { places: [], fault: 'a table is not narrowed to a site' }
  return { places }
}

const mention =
  /(?:\bfrom|\bjoin|\binto|\bupdate|\busing|,)\s+(?:only\s+)?"([^"]+)"(?!\.)(?:\s+as\s+"([^"]+)")?/g

/** Alias (or name) → table, for each table that the text reads or writes. */
function tableMentions(text: string): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [whole, table = '', alias] of text.matchAll(mention)) {
    // A comma also stands between columns; only known tables count there.
    if (whole.startsWith(',') && !tableNames.has(table)) continue
    owners.set(alias ?? table, table)
  }
  return owners
}

function withNames(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/"([^"]+)"(?:\([^)]*\))? as (?:not )?(?:materialized )?\(/g)].map(
      ([, name = '']) => name,
    ),
  )
}

/** The first parameter of each row of `($1, $2), ($3, …)`; nothing when a row starts otherwise. */
function firstPlaces(rows: string): number[] | undefined {
  const starts = [...rows.matchAll(/(?:^|\), )\((\$(\d+))?/g)]
  if (starts.some(([, parameter]) => parameter === undefined)) return undefined
  return starts.map(([, , place]) => Number(place))
}

const forbiddenWords =
  /\b(select|from|join|table|union|insert|update|delete|merge|with|using|site)\b|--|\/\*|;|"/i

/** What a room wrote with `sql` may compute, not reach. */
function handwrittenFault(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  const { kind, schema, sqlFragments } = node as {
    kind?: unknown
    schema?: unknown
    sqlFragments?: readonly string[]
  }
  if (kind === 'SchemableIdentifierNode' && schema !== undefined) return 'it names a schema'
  if (kind === 'RawNode' && sqlFragments) {
    const text = sqlFragments.join(' ')
    if (forbiddenWords.test(text)) return 'a handwritten part reaches for a table'
    if (!isBalanced(text)) return 'a handwritten part does not close its brackets'
  }
  for (const value of Object.values(node)) {
    if (typeof value !== 'object') continue
    const fault = Array.isArray(value) ? firstFault(value) : handwrittenFault(value)
    if (fault !== undefined) return fault
  }
  return undefined
}

function firstFault(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const fault = handwrittenFault(value)
    if (fault !== undefined) return fault
  }
  return undefined
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}
