import type { Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

export async function checkControlTables({ inspector }: Installation, note: Note): Promise<void> {
  for (const says of await inspector.faultsOfControl())
    await note({ isFault: true, key: 'control', says, todo: 'Restore the installation from a backup.' })
}
