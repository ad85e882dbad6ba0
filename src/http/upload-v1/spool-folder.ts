import { mkdir } from 'node:fs/promises'
import type { App } from '../../app.ts'
import { removeOldEntries } from '../../lib/old-entries.ts'
import { spoolFolder } from '../../media/index.ts'

export const spoolFolderOf = (app: App): string => spoolFolder(app.config.dataDir)

/** Longer than any request may take: what is older was left by a process that was killed. */
const oldestMs = 3_600_000

/** Makes the folder, and removes what nobody will come back for. */
export async function prepareSpool(app: App): Promise<void> {
  const folder = spoolFolderOf(app)
  // On SQLite a data folder has one server, so that all of it is from before. One that is killed again and again
  // would else fill its disk within the hour.
  const olderThanMs = app.control.store.kind === 'sqlite' ? 0 : oldestMs
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOldEntries(folder, { olderThanMs })
}
