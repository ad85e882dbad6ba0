import type { Compilable, CompiledQuery } from 'kysely'
import { readAtOnce } from './sqlite-file.ts'
import type { SiteDb } from './tables.ts'

/** A question that is asked so often that its text is made once for each database, and not each time. */
export interface PreparedRead<Name extends string, Row> {
  rows(db: SiteDb, values: Values<Name>): Promise<readonly Row[]>
  /** Without waiting; nothing where rows cannot be had so. */
  rowsAtOnce(db: SiteDb, values: Values<Name>): readonly Row[] | undefined
}

type Values<Name extends string> = Readonly<Record<Name, string>>

interface Prepared<Name extends string> {
  query: CompiledQuery
  /** For each parameter the value that goes there; those that are no value's are the statement's own. */
  places: readonly (Name | undefined)[]
}

/** The values are told by name while the text is made, so that it does not matter where a store puts them. */
export function prepareRead<Name extends string, Row>(
  build: (db: SiteDb, values: Values<Name>) => Compilable<Row>,
): PreparedRead<Name, Row> {
  const known = new WeakMap<SiteDb, Prepared<Name>>()

  function preparedFor(db: SiteDb): Prepared<Name> {
    let prepared = known.get(db)
    if (!prepared) {
      const query = build(db, names as Values<Name>).compile()
      prepared = { query, places: query.parameters.map((value) => nameOf(value) as Name | undefined) }
      known.set(db, prepared)
    }
    return prepared
  }

  const filled = ({ query, places }: Prepared<Name>, values: Values<Name>) =>
    places.map((name, at) => (name === undefined ? query.parameters[at] : values[name]))

  return {
    async rows(db, values) {
      const prepared = preparedFor(db)
      const parameters = filled(prepared, values)
      const rows = readAtOnce(db, prepared.query.sql, parameters)
      if (rows) return rows as Row[]
      return (await db.executeQuery<Row>({ ...prepared.query, parameters })).rows
    },
    rowsAtOnce(db, values) {
      const prepared = preparedFor(db)
      return readAtOnce(db, prepared.query.sql, filled(prepared, values)) as Row[] | undefined
    },
  }
}

const mark = '\u0000value '

/** No value of a statement's own begins like this: not every store takes the character. */
const names: object = new Proxy({}, { get: (_, name) => `${mark}${String(name)}` })

const nameOf = (value: unknown) =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : undefined
