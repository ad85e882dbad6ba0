import type { Compilable, CompiledQuery } from 'kysely'
import { asDeferred } from './deferred.ts'
import { isSqlite, readRowsSync } from './sqlite/file.ts'
import type { Statement } from './sqlite/group-commit.ts'
import type { ControlDb, SiteDb, SiteTables } from './tables.ts'

/** A frequent statement, compiled once. */
interface Prepared<Db, Name extends string, Row> {
  rows(db: Db, values: Values<Name>): Promise<readonly Row[]>
  /** Synchronous variant: undefined if the rows cannot be read without waiting. */
  rowsSync(db: Db, values: Values<Name>): readonly Row[] | undefined
  /** For statements that change rows: how many were changed. */
  changes(db: Db, values: Values<Name>): Promise<number>
  /** As `executeLater`: for statements of a transaction whose result is not needed. */
  later(db: Db, values: Values<Name>): Promise<void>
  /** The SQL with its values, for the store's group commit. */
  statement(db: Db, values: Values<Name>): Statement
}

type Values<Name extends string> = Readonly<Record<Name, string | number | null>>

/** Stands for a value while the statement is compiled; `never` fits every column type. */
type Placeholders<Name extends string> = Readonly<Record<Name, never>>

interface Text<Name extends string> {
  query: CompiledQuery
  /** For each parameter the name of its value; undefined for a constant of the statement. */
  valueNames: readonly (Name | undefined)[]
}

type Build<Db, Name extends string, Row> = (db: Db, values: Placeholders<Name>) => Compilable<Row>

export const prepare = <Name extends string, Row>(build: Build<SiteDb, Name, Row>) => prepared(build)
export const prepareControl = <Name extends string, Row>(build: Build<ControlDb, Name, Row>) =>
  prepared(build)

/** Placeholders carry the names of the values, because each dialect orders parameters in its own way. */
function prepared<Db extends SiteDb | ControlDb, Name extends string, Row>(
  build: Build<Db, Name, Row>,
): Prepared<Db, Name, Row> {
  const known = new WeakMap<object, Text<Name>>()

  function textFor(db: Db): Text<Name> {
    // On PostgreSQL the statement contains the site's number.
    const key = isSqlite(db) ? everyFile : db
    let text = known.get(key)
    if (!text) {
      const query = build(db, names as Placeholders<Name>).compile()
      text = { query, valueNames: query.parameters.map((value) => nameOf(value) as Name | undefined) }
      known.set(key, text)
    }
    return text
  }

  const filled = ({ query, valueNames }: Text<Name>, values: Values<Name>) =>
    valueNames.map((name, index) => (name === undefined ? query.parameters[index] : values[name]))

  const execute = (db: Db, text: Text<Name>, parameters: readonly unknown[]) =>
    db.executeQuery<Row>({ ...text.query, parameters })

  return {
    async rows(db, values) {
      const text = textFor(db)
      const parameters = filled(text, values)
      const rows = readRowsSync(db, text.query.sql, parameters)
      return rows ? (rows as Row[]) : (await execute(db, text, parameters)).rows
    },
    rowsSync(db, values) {
      const text = textFor(db)
      return readRowsSync(db, text.query.sql, filled(text, values)) as Row[] | undefined
    },
    async changes(db, values) {
      const text = textFor(db)
      const { numAffectedRows = 0n } = await execute(db, text, filled(text, values))
      return Number(numAffectedRows)
    },
    async later(db, values) {
      const text = textFor(db)
      await db.executeQuery(asDeferred({ ...text.query, parameters: filled(text, values) }))
    },
    statement(db, values) {
      const text = textFor(db)
      return { sql: text.query.sql, parameters: filled(text, values) }
    },
  }
}

/** The statement has the same text for every SQLite file. */
const everyFile = {}

type Column<Table extends keyof SiteTables> = keyof SiteTables[Table] & string

/** Inserts a row; false if a row with the same values in these columns, or in any unique columns, exists. */
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

const prefix = '\u0000value '

/** No constant of a statement begins with this prefix, since PostgreSQL refuses NUL. */
const names: object = new Proxy({}, { get: (_, name) => `${prefix}${String(name)}` })

const nameOf = (value: unknown) =>
  typeof value === 'string' && value.startsWith(prefix) ? value.slice(prefix.length) : undefined
