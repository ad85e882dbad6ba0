import { writeFenceClosed } from '../faults.ts'
import type { SqliteConnection, SqliteResult } from './connection.ts'
import type { Statement } from './group-commit.ts'

interface Write {
  sql: string
  parameters: readonly unknown[]
  /** Whether more statements follow in the same transaction. */
  isFirst: boolean
  /** Statements of the same transaction that run first; it must have begun. */
  before: readonly Statement[]
  generation?: number | undefined
}

/** The first write of a transaction checks the fence under SQLite's write lock, so that it cannot change before the end. */
export function writeFenced(connection: SqliteConnection, write: Write): SqliteResult {
  const { sql, parameters, isFirst, before, generation } = write
  if (connection.isInTransaction()) {
    for (const statement of before) connection.run(statement.sql, statement.parameters)
    return connection.run(sql, parameters)
  }
  // After a severe error SQLite has rolled the transaction back: outside of it a statement would be committed alone.
  if (before.length > 0) throw new Error('The transaction of these statements has ended.')
  if (!isFirst && generation === undefined) return connection.run(sql, parameters)
  connection.run('begin immediate', [])
  try {
    if (generation !== undefined) assertWriteFence(connection, generation)
    const result = connection.run(sql, parameters)
    if (!isFirst) connection.run('commit', [])
    return result
  } catch (error) {
    if (connection.isInTransaction()) connection.run('rollback', [])
    throw error
  }
}

function assertWriteFence(connection: SqliteConnection, generation: number): void {
  const [fence] = connection.run('select "generation" from "gate"', []).rows as { generation: number }[]
  if (fence?.generation !== generation) throw writeFenceClosed()
}
