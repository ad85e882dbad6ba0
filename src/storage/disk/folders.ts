import { chmod, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { LruMap } from '../../lib/lru.ts'
import { codeOf } from '../errors.ts'
import { type Disk, type Opened, openFolder, syncOpened } from './sync.ts'

export interface Folders {
  /** Opens a folder; creates and syncs it, with its parents, if needed. */
  open(path: string): Promise<Opened>
  /** Must be called after a folder was removed. */
  forget(path: string): void
}

export function createFolders(disk: Disk): Folders {
  // Folders whose names this process has synced. Another process may have created an existing folder a moment ago, or before
  // a crash, so that its name is not yet durable.
  const known = new LruMap<string, true>(10_000)
  const underway = new Map<string, Promise<void>>()

  function ensure(path: string): Promise<void> | undefined {
    if (path === disk.root || known.get(path)) return undefined
    const making = underway.get(path) ?? make(path).finally(() => underway.delete(path))
    underway.set(path, making)
    return making
  }

  async function make(path: string): Promise<void> {
    const parent = dirname(path)
    // The root itself is never created: if it is missing, a disk is not mounted.
    await ensure(parent)
    // Opened before anything is created in it, because `openFolder` refuses symbolic links.
    using opened = await openFolder(parent)
    const { folder: mode } = disk.modes
    try {
      await mkdir(path, { mode })
      // The umask may have taken the group's rights away.
      if (mode !== 0o700) await chmod(path, mode)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    await syncOpened(disk, opened)
    known.set(path, true)
  }

  function forget(path: string): void {
    for (const [folder] of known.entries()) {
      if (folder === path || folder.startsWith(`${path}/`)) known.delete(folder)
    }
  }

  return {
    forget,
    async open(path) {
      await ensure(path)
      try {
        return await openFolder(path)
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error
      }
      // Another program has removed it, maybe with the folders above it.
      for (let folder = path; folder !== disk.root; folder = dirname(folder)) known.delete(folder)
      await ensure(path)
      return openFolder(path)
    },
  }
}
