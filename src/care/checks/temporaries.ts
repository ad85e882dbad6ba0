import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs, type Installation } from '../check.ts'
import type { Note } from '../finding.ts'

/** Where work lies that is not done yet. */
const folders = ['spool', 'drafts', 'trash', 'restoring']

export async function checkTemporaries(
  { app: { config, control } }: Installation,
  note: Note,
): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(join(config.dataDir, folder)).catch(() => [])) {
      const path = join(config.dataDir, folder, name)
      const found = await stat(path).catch(() => undefined)
      // What is younger may be somebody's work.
      if (!found || control.clock.now().getTime() - found.mtimeMs < dayMs) continue
      const repair = async () => {
        await rm(path, { recursive: true, force: true })
        return 'removed'
      }
      const says = 'It was left by a process that was stopped.'
      const todo = 'Restart the server, or run: terrace doctor --repair'
      await note({ isFault: false, key: `${folder}/${name}`, says, todo, repair })
    }
  }
}
