import type { Ground } from '../check.ts'
import type { Note } from '../finding.ts'

/** The first that knows `await using` and what else we are written with. */
const oldestNode = 24
const oldestPostgres = 15

export async function checkVersions({ inspector }: Ground, note: Note): Promise<void> {
  const node = process.versions.node
  if (Number.parseInt(node, 10) < oldestNode) {
    const todo = `Run it by bin/terrace, which brings its own, or with Node ${oldestNode} or later.`
    await note({ isFault: true, says: `This is Node ${node}.`, todo })
  }
  const { kind, version } = inspector
  // SQLite comes with the packages, and an unsafe one is refused when it is opened.
  if (kind === 'postgres' && Number.parseInt(version, 10) < oldestPostgres) {
    const says = `The server is PostgreSQL ${version}, older than those that this is tested with.`
    await note({ isFault: false, says, todo: `Use PostgreSQL ${oldestPostgres} or later.` })
  }
}
