import { open, realpath, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { makeFolder } from '../../lib/files/durable.ts'
import { badKey, diskFault } from '../errors.ts'
import { checkFolder, checkKey } from '../keys.ts'
import type { Storage, StoredKey } from '../storage.ts'
import { createFolders } from './folders.ts'
import { walk } from './list.ts'
import { modesOf } from './modes.ts'
import { moveIn } from './put.ts'
import { openFileAt, readFileAt, statFileAt, statFileSync } from './read.ts'
import { removeFiles, removeTree } from './remove.ts'
import { type Disk, ignoreAbsent, openFolder, refuseBroken } from './sync.ts'

interface DiskOptions {
  root: string
  /** Whether the group may read the files. */
  isShared?: boolean
}

/** Files in a folder. Temporary files must be on the same file system; a name that begins with a dot is never a key. */
export function openDiskStorage({ root, isShared = false }: DiskOptions): Promise<Storage> {
  return asRefusal(async () => {
    await makeFolder(root)
    return storageOf({ root: await realpath(root), modes: modesOf(isShared), brokenBy: undefined })
  })
}

function storageOf(disk: Disk): Storage {
  const folders = createFolders(disk)
  const pathOf = (key: string) => pathIn(disk.root, key)
  return {
    kind: 'disk',
    put: (batch, { isLossy = false } = {}) =>
      asRefusal(async () => {
        const moves = batch.map(({ key, path }) => ({ from: path, to: pathOf(key) }))
        refuseBroken(disk)
        await moveIn(disk, folders, { moves, isLossy })
      }),
    read: (key, range) => asRefusal(async () => readFileAt(disk, pathOf(key), range)),
    open: (key) => asRefusal(async () => openFileAt(disk, pathOf(key))),
    stat: (key) => asRefusal(async () => statFileAt(disk, pathOf(key))),
    statSync: (key) => statFileSync(pathOf(key)),
    remove: (keys) => asRefusal(async () => removeFiles(disk, keys.map(pathOf))),
    list: (folder, after, limit) => asRefusal(() => listPage(disk, folder, after, limit)),
    removeAll: (folder) =>
      asRefusal(async () => {
        const path = folder === '' ? disk.root : pathOf(folder)
        await removeTree(disk, path)
        folders.forget(path)
      }),
    // Unfinished files are in the caller's temporary folder.
    async removeUnfinished() {},
    check: () =>
      asRefusal(async () => {
        refuseBroken(disk)
        await tryToWrite(disk)
      }),
    localPath: pathOf,
    async [Symbol.asyncDispose]() {},
  }
}

/** Checking permissions is not enough: a file system that has become read-only after an error still grants them. */
async function tryToWrite({ root }: Disk): Promise<void> {
  const trial = join(root, '.check')
  await using _made = await open(trial, 'w', 0o600)
  // Another check may have been faster.
  await rm(trial, { force: true })
}

/** Joins, then checks again that the path is inside the root. */
function pathIn(root: string, key: string): string {
  checkKey(key)
  const path = join(root, key)
  if (!path.startsWith(root + sep)) throw badKey()
  return path
}

async function listPage(
  disk: Disk,
  folder: string,
  after: string | undefined,
  limit: number,
): Promise<StoredKey[]> {
  checkFolder(folder)
  const entries: StoredKey[] = []
  if (limit < 1 || !(await isPlainFolder(disk, folder))) return entries
  for await (const entry of walk(disk.root, folder, after)) {
    entries.push(entry)
    if (entries.length === limit) break
  }
  return entries
}

async function isPlainFolder(disk: Disk, folder: string): Promise<boolean> {
  const path = join(disk.root, folder)
  using opened = await openFolder(path).catch((error) => ignoreAbsent(disk, error))
  return opened !== undefined
}

async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw diskFault(error)
  }
}
