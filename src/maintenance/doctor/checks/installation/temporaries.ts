import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../../../../lib/files/live-entries.ts'
import { dayMs, type Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** Folders of files in progress. */
const folders = ['spool', 'decoders', 'drafts', 'trash', 'restoring']

export async function checkTemporaries(
  { app: { config, control } }: Installation,
  note: Note,
): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(join(config.dataDir, folder)).catch(() => [])) {
      const path = join(config.dataDir, folder, name)
      const found = await stat(path).catch(() => undefined)
      // A younger entry may be in use: its process renews the time every minute.
      if (!found || isAlive(path) || control.clock.now().getTime() - found.mtimeMs < dayMs) continue
      const repair = async () => {
        await rm(path, { recursive: true, force: true })
        return 'removed'
      }
      const says = 'A stopped process has left it.'
      const todo = 'Restart the server, or run: terrace doctor --repair'
      await note({ isFault: false, key: `${folder}/${name}`, says, todo, repair })
    }
  }
}
