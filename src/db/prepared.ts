import type { Compilable, CompiledQuery } from 'kysely'
import { isInFile, readAtOnce } from './sqlite-file.ts'
import type { ControlDb, SiteDb, SiteTables } from './tables.ts'

/** A statement that is needed so often that its text is made once, and not each time. */
interface Prepared<Db, Name extends string, Row> {
  rows(db: Db, values: Values<Name>): Promise<readonly Row[]>
  /** Without waiting; nothing where rows cannot be had so. */
  rowsAtOnce(db: Db, values: Values<Name>): readonly Row[] | undefined
  /** For what changes rows: how many it has changed. */
  changes(db: Db, values: Values<Name>): Promise<number>
}

type Values<Name extends string> = Readonly<Record<Name, string | number | null>>

/** Stands where a value will be, whatever type it must have there. */
type Places<Name extends string> = Readonly<Record<Name, never>>

interface Text<Name extends string> {
  query: CompiledQuery
  /** For each parameter the value that goes there; those that are no value's are the statement's own. */
  places: readonly (Name | undefined)[]
}

type Build<Db, Name extends string, Row> = (db: Db, values: Places<Name>) => Compilable<Row>

export const prepare = <Name extends string, Row>(build: Build<SiteDb, Name, Row>) => prepared(build)
export const prepareControl = <Name extends string, Row>(build: Build<ControlDb, Name, Row>) =>
  prepared(build)

/** The values are told by name while the text is made, so that it does not matter where a store puts them. */
function prepared<Db extends SiteDb | ControlDb, Name extends string, Row>(
  build: Build<Db, Name, Row>,
): Prepared<Db, Name, Row> {
  const known = new WeakMap<object, Text<Name>>()

  function textFor(db: Db): Text<Name> {
    // On PostgreSQL each site has its own.
    const key = isInFile(db) ? everyFile : db
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

  const execute = (db: Db, text: Text<Name>, parameters: readonly unknown[]) =>
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

/** A statement reads the same in each of them. */
const everyFile = {}

type Column<Table extends keyof SiteTables> = keyof SiteTables[Table] & string

/** Inserts a row, and tells whether it did: not when another has the same in these columns, or in any that must differ. */
export function prepareInsertion<Table extends keyof SiteTables & string>(
  table: Table,
  unique?: readonly Column<Table>[],
): (db: SiteDb, row: SiteTables[Table]) => Promise<boolean> {
  const known = new Map<string, Prepared<SiteDb, Column<Table>, unknown>>()

  function insertionOf(columns: readonly Column<Table>[]) {
    const key = columns.join()
    const insertion =
      known.get(key) ??
      prepare<Column<Table>, unknown>((db, values) =>
        db
          .insertInto<keyof SiteTables>(table)
          .values(Object.fromEntries(columns.map((column) => [column, values[column]])))
          .onConflict((conflict) => (unique ? conflict.columns(unique as never) : conflict).doNothing()),
      )
    known.set(key, insertion)
    return insertion
  }

  return async (db, row) => {
    const insertion = insertionOf(Object.keys(row) as Column<Table>[])
    return (await insertion.changes(db, row as Values<Column<Table>>)) === 1
  }
}

const mark = '\u0000value '

/** No value of a statement's own begins like this: not every store takes the character. */
const names: object = new Proxy({}, { get: (_, name) => `${mark}${String(name)}` })

const nameOf = (value: unknown) =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : undefined
