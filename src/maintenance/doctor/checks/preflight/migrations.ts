import type { Preflight } from '../../check.ts'
import type { Note } from '../../finding.ts'

export async function checkMigrations({ inspector }: Preflight, note: Note): Promise<void> {
  for (const key of await inspector.pendingControl()) {
    const says = 'This migration of the control tables has not run.'
    await note({ isFault: true, key, says, todo: 'Start the server, or run: tenants database:migrate' })
  }
}
