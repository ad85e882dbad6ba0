import { chmod, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileDurably } from '../../lib/files/durable.ts'
import { codeOf } from '../errors.ts'

export interface Modes {
  file: number
  folder: number
}

/** Shared files can be read by the group, such as a proxy that sends the bytes itself. */
export const modesOf = (isShared: boolean): Modes =>
  isShared ? { file: 0o640, folder: 0o750 } : { file: 0o600, folder: 0o700 }

/** Names the mode that all stored files of the data folder have. */
const markName = 'files-mode'

/**
 * Gives files that are stored already the modes of the setting, if it has changed since the last start; returns how many
 * files there are then. The mark is written last, so an interrupted run is repeated.
 */
export async function changeModes(root: string, isShared: boolean): Promise<number | undefined> {
  const modes = modesOf(isShared)
  const mark = `${modes.file.toString(8)}\n`
  if ((await readFile(join(root, markName), 'utf8').catch(() => '')) === mark) return undefined
  let count = 0
  for (const top of ['sites', 'bytes']) {
    for (const { name } of await foldersIn(join(root, top))) {
      const site = join(root, top, name)
      // The folder of a site holds its database too, which has a mode of its own.
      for (const { name: inner } of await foldersIn(site)) count += await changeTree(join(site, inner), modes)
      if (top === 'bytes') await chmod(site, modes.folder)
    }
  }
  await chmod(join(root, 'bytes'), modes.folder).catch(ignoreMissing)
  await writeFileDurably(join(root, markName), mark)
  return count
}

async function changeTree(folder: string, modes: Modes): Promise<number> {
  let count = 0
  await chmod(folder, modes.folder)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) count += await changeTree(path, modes)
    else if (entry.isFile()) {
      // Another server may be deleting it.
      await chmod(path, modes.file).catch(ignoreMissing)
      count += 1
    }
  }
  return count
}

async function foldersIn(path: string) {
  const entries = await readdir(path, { withFileTypes: true }).catch(ignoreMissing)
  return (entries ?? []).filter((entry) => entry.isDirectory())
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
