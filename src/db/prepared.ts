import type { Compilable, CompiledQuery } from 'kysely'
import { fileOf, readAtOnce } from './sqlite-file.ts'
import type { SiteDb } from './tables.ts'

/** A statement that is needed so often that its text is made once for each database, and not each time. */
export interface Prepared<Name extends string, Row> {
  rows(db: SiteDb, values: Values<Name>): Promise<readonly Row[]>
  /** Without waiting; nothing where rows cannot be had so. */
  rowsAtOnce(db: SiteDb, values: Values<Name>): readonly Row[] | undefined
  /** For what changes rows: how many it has changed. */
  changes(db: SiteDb, values: Values<Name>): Promise<number>
}

type Values<Name extends string> = Readonly<Record<Name, string | number | null>>

/** Stands where a value will be, whatever type it must have there. */
type Places<Name extends string> = Readonly<Record<Name, never>>

interface Text<Name extends string> {
  query: CompiledQuery
  /** For each parameter the value that goes there; those that are no value's are the statement's own. */
  places: readonly (Name | undefined)[]
}

/** The values are told by name while the text is made, so that it does not matter where a store puts them. */
export function prepare<Name extends string, Row>(
  build: (db: SiteDb, values: Places<Name>) => Compilable<Row>,
): Prepared<Name, Row> {
  const known = new WeakMap<object, Text<Name>>()

  function textFor(db: SiteDb): Text<Name> {
    // In a file, a transaction's text is that of all others. On PostgreSQL each site has its own.
    const key = fileOf(db) ?? db
    let text = known.get(key)
    if (!text) {
      const query = build(db, names as Places<Name>).compile()
      text = { query, places: query.parameters.map((value) => nameOf(value) as Name | undefined) }
      known.set(key, text)
    }
    return text
  }

  const filled = ({ query, places }: Text<Name>, values: Values<Name>) =>
    places.map((name, at) => (name === undefined ? query.parameters[at] : values[name]))

  const execute = (db: SiteDb, text: Text<Name>, parameters: readonly unknown[]) =>
    db.executeQuery<Row>({ ...text.query, parameters })

  return {
    async rows(db, values) {
      const text = textFor(db)
      const parameters = filled(text, values)
      const rows = readAtOnce(db, text.query.sql, parameters)
      return rows ? (rows as Row[]) : (await execute(db, text, parameters)).rows
    },
    rowsAtOnce(db, values) {
      const text = textFor(db)
      return readAtOnce(db, text.query.sql, filled(text, values)) as Row[] | undefined
    },
    async changes(db, values) {
      const text = textFor(db)
      const { numAffectedRows = 0n } = await execute(db, text, filled(text, values))
      return Number(numAffectedRows)
    },
  }
}

const mark = '\u0000value '

/** No value of a statement's own begins like this: not every store takes the character. */
const names: object = new Proxy({}, { get: (_, name) => `${mark}${String(name)}` })

const nameOf = (value: unknown) =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : undefined
