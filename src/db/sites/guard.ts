import type { CompiledQuery } from 'kysely'
import { LruMap } from '../../lib/lru.ts'
import { siteTableNames } from '../tables.ts'

/**
 * The second isolation layer between sites on PostgreSQL: checks the final SQL text right before it is sent, independent of
 * how it was built. Each mention of a table needs a comparison of that table's `site` with the site's number, and raw SQL
 * fragments may neither name a table nor leave a bracket open.
 */
export function guardSite(query: CompiledQuery, site: number): void {
  const { siteParameters, fault } = inspected(query)
  if (fault !== undefined) throw new SiteLeak(fault, query.sql)
  for (const parameter of siteParameters) {
    if (query.parameters[parameter - 1] !== site) throw new SiteLeak('it names another site', query.sql)
  }
}

export class SiteLeak extends Error {
  constructor(fault: string, sql: string) {
    super(`A statement was stopped because ${fault}: ${sql}`)
    this.name = 'SiteLeak'
  }
}

interface Inspection {
  /** Numbers, from 1, of the parameters that must be the site's number. */
  siteParameters: readonly number[]
  fault?: string
}

const inspections = new LruMap<string, Inspection>(1_000)

function inspected(query: CompiledQuery): Inspection {
  const known = inspections.get(query.sql)
  if (known) return known
  // Not kept: the same text is right where none of it is handwritten.
  const handwritten = handwrittenFault(query.query)
  if (handwritten !== undefined) return { siteParameters: [], fault: handwritten }
  // The same text is the same statement. To search its parts at each call took a seventh of the CPU of a search.
  const inspection = inspectSql(query.sql)
  inspections.set(query.sql, inspection)
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
  if (unknown !== undefined) return { siteParameters: [], fault: `"${unknown}" is no table of a site` }

  const compared = new Map<string, number>()
  const siteParameters: number[] = []
  for (const [, name = '', parameter] of text.matchAll(comparison)) {
    compared.set(name, (compared.get(name) ?? 0) + 1)
    siteParameters.push(Number(parameter))
  }
  const inserted = insertion.exec(text)
  if (inserted) {
    const rows = firstParameters(inserted[2] ?? '')
    if (!rows) return { siteParameters: [], fault: 'an inserted row does not carry the site' }
    siteParameters.push(...rows)
    compared.set(inserted[1] ?? '', (compared.get(inserted[1] ?? '') ?? 0) + 1)
  }
  for (const [name, table] of owners) {
    if (!tableNames.has(table)) continue
    if ((compared.get(name) ?? 0) === 0)
      return { siteParameters: [], fault: `"${table}" is not narrowed to a site` }
  }
  const total = [...compared.values()].reduce((sum, count) => sum + count, 0)
  const mentions = [...text.matchAll(mention)].filter(([, name = '']) => tableNames.has(name)).length
  if (total < mentions) return { siteParameters: [], fault: 'a table is not narrowed to a site' }
  return { siteParameters }
}

const mention =
  /(?:\bfrom|\bjoin|\binto|\bupdate|\busing|,)\s+(?:only\s+)?"([^"]+)"(?!\.)(?:\s+as\s+"([^"]+)")?/g

/** Alias (or name) → table, for each table that the text reads or writes. */
function tableMentions(text: string): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [whole, table = '', alias] of text.matchAll(mention)) {
    // A comma also separates columns: after a comma only known tables count.
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

/** The first parameter of each row of `($1, $2), ($3, …)`; undefined if a row begins with anything else. */
function firstParameters(rows: string): number[] | undefined {
  const starts = [...rows.matchAll(/(?:^|\), )\((\$(\d+))?/g)]
  if (starts.some(([, parameter]) => parameter === undefined)) return undefined
  return starts.map(([, , number]) => Number(number))
}

const forbiddenWords =
  /\b(select|from|join|table|union|insert|update|delete|merge|with|using|site)\b|--|\/\*|;|"/i

/** Raw `sql` fragments may compute values, but not name tables. */
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
