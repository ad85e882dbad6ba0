import type { Preflight } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** The first version with `await using`. */
const oldestNode = 24
const oldestPostgres = 15

export async function checkVersions({ inspector }: Preflight, note: Note): Promise<void> {
  const node = process.versions.node
  if (Number.parseInt(node, 10) < oldestNode) {
    const todo = `Run it by bin/terrace, which installs its own, or with Node ${oldestNode} or later.`
    await note({ isFault: true, says: `This is Node ${node}.`, todo })
  }
  const { kind, version } = inspector
  // SQLite is part of a dependency, and an unsafe version is refused when it is opened.
  if (kind === 'postgres' && Number.parseInt(version, 10) < oldestPostgres) {
    const says = `The server is PostgreSQL ${version}, older than the tested versions.`
    await note({ isFault: false, says, todo: `Use PostgreSQL ${oldestPostgres} or later.` })
  }
}
