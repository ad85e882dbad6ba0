import { mkdir, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepAlive } from '../../lib/files/live-entries.ts'
import { randomHex } from '../../lib/ids.ts'

/** Of the data folder: rows of exports, and files of imports that are being stored. */
const archivesFolder = 'archives'

/**
 * A folder for the temporary files of one export or import. In the data folder, files can be moved into its storage; without
 * an installation it is in the folder of the system.
 */
export async function openWorkFolder(dataDir?: string) {
  const parent = dataDir === undefined ? tmpdir() : join(dataDir, archivesFolder)
  const path = join(parent, `terrace-archive-${randomHex(8)}`)
  const living = keepAlive(path)
  await mkdir(path, { recursive: true, mode: 0o700 })
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true })
      living[Symbol.dispose]()
      // Another export or import may use it.
      if (dataDir !== undefined) await rmdir(parent).catch(() => undefined)
    },
  }
}
