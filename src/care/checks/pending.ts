import type { Ground } from '../check.ts'
import type { Note } from '../finding.ts'

export async function checkPending({ inspector }: Ground, note: Note): Promise<void> {
  for (const key of await inspector.pendingControl()) {
    const says = 'The control tables wait for this step.'
    await note({ isFault: true, key, says, todo: 'Start the server, or run: tenants database:migrate' })
  }
}
