import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../app.ts'

/** Where uploads come in. On the file system of the data folder, so that they need only be renamed from there. */
export const spoolFolderOf = (app: App): string => join(app.config.dataDir, 'spool')

/** Longer than any request may take: what is older was left by a process that was killed. */
const oldestMs = 3_600_000

/** Makes the folder, and removes what nobody will come back for. */
export async function prepareSpool(app: App): Promise<void> {
  const folder = spoolFolderOf(app)
  // On SQLite a data folder has one server, so that all of it is from before. One that is killed again and again
  // would else fill its disk within the hour.
  const youngestMs = app.control.store.kind === 'sqlite' ? 0 : oldestMs
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs >= youngestMs) await rm(join(folder, name), { recursive: true, force: true })
  }
}
