import { mkdir } from 'node:fs/promises'
import type { App } from '../../../app.ts'
import { decoderFolder } from '../../../imaging/index.ts'
import { removeOldEntries, silentMs } from '../../../lib/files/live-entries.ts'
import { spoolFolder } from '../../../media/index.ts'

export const spoolFolderOf = (app: App): string => spoolFolder(app.config.dataDir)

/** Makes the folders of the spool and of the decoders, and removes entries of processes that have ended. */
export async function prepareSpool(app: App): Promise<void> {
  // On SQLite a data folder has one server, so every entry is from an earlier run. A server that is killed again and
  // again would otherwise fill its disk within minutes.
  const olderThanMs = app.control.store.kind === 'sqlite' ? 0 : silentMs
  for (const folder of [spoolFolderOf(app), decoderFolder(app.config.dataDir)]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeOldEntries(folder, { olderThanMs })
  }
}
