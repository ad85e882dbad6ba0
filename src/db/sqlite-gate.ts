import { gateClosed } from './faults.ts'
import type { SqliteConnection, SqliteResult } from './sqlite-connection.ts'

interface Write {
  sql: string
  parameters: readonly unknown[]
  /** Whether others follow in the same transaction. */
  isFirst: boolean
  generation?: number | undefined
}

/** What begins to write looks at the gate first, with the file to itself: nothing can close it before the end. */
export function writeThroughGate(connection: SqliteConnection, write: Write): SqliteResult {
  const { sql, parameters, isFirst, generation } = write
  if (connection.isInTransaction()) return connection.run(sql, parameters)
  if (!isFirst && generation === undefined) return connection.run(sql, parameters)
  connection.run('begin immediate', [])
  try {
    if (generation !== undefined) checkGate(connection, generation)
    const result = connection.run(sql, parameters)
    if (!isFirst) connection.run('commit', [])
    return result
  } catch (error) {
    if (connection.isInTransaction()) connection.run('rollback', [])
    throw error
  }
}

function checkGate(connection: SqliteConnection, generation: number): void {
  const [gate] = connection.run('select "generation" from "gate"', []).rows as { generation: number }[]
  if (gate?.generation !== generation) throw gateClosed()
}
