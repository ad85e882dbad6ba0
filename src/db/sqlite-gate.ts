import { gateClosed } from './faults.ts'
import type { SqliteConnection, SqliteResult } from './sqlite-connection.ts'

interface Write {
  sql: string
  parameters: readonly unknown[]
  generation?: number | undefined
}

/** What begins to write looks at the gate first, with the file to itself: nothing can close it before the end. */
export function writeThroughGate(connection: SqliteConnection, write: Write): SqliteResult {
  const { sql, parameters, generation } = write
  if (generation === undefined || connection.isInTransaction()) return connection.run(sql, parameters)
  const isBeginning = sql === begin
  connection.run(begin, [])
  try {
    checkGate(connection, generation)
    if (isBeginning) return { rows: [], changes: 0 }
    const result = connection.run(sql, parameters)
    connection.run('commit', [])
    return result
  } catch (error) {
    if (connection.isInTransaction()) connection.run('rollback', [])
    throw error
  }
}

const begin = 'begin immediate'

function checkGate(connection: SqliteConnection, generation: number): void {
  const [gate] = connection.run('select "generation" from "gate"', []).rows as { generation: number }[]
  if (gate?.generation !== generation) throw gateClosed()
}
