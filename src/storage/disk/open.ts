import { open, realpath, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { makeFolder } from '../../lib/durable.ts'
import { badKey, diskFault } from '../errors.ts'
import { checkFolder, checkKey } from '../keys.ts'
import type { Storage, StoredKey } from '../storage.ts'
import { createFolders } from './folders.ts'
import { walk } from './list.ts'
import { moveIn } from './put.ts'
import { openFileAt, readFileAt, statFileAt, statFileAtOnce } from './read.ts'
import { removeFiles, removeTree } from './remove.ts'
import { type Disk, ignoreAbsent, openFolder, refuseBroken } from './sync.ts'

/** Files in a folder. Temporary files must be on the same file system; a name with a dot in front is never a key. */
export function openDiskStorage({ root }: { root: string }): Promise<Storage> {
  return explained(async () => {
    await makeFolder(root)
    return storageOf({ root: await realpath(root), brokenBy: undefined })
  })
}

function storageOf(disk: Disk): Storage {
  const folders = createFolders(disk)
  const place = (key: string) => placeOf(disk.root, key)
  return {
    kind: 'disk',
    put: (batch) =>
      explained(async () => {
        const moves = batch.map(({ key, path }) => ({ from: path, to: place(key) }))
        refuseBroken(disk)
        await moveIn(disk, folders, moves)
      }),
    read: (key, range) => explained(async () => readFileAt(disk, place(key), range)),
    open: (key) => explained(async () => openFileAt(disk, place(key))),
    stat: (key) => explained(async () => statFileAt(disk, place(key))),
    statAtOnce: (key) => statFileAtOnce(place(key)),
    remove: (keys) => explained(async () => removeFiles(disk, keys.map(place))),
    list: (folder, after, limit) => explained(() => listPage(disk, folder, after, limit)),
    removeAll: (folder) =>
      explained(async () => {
        const path = folder === '' ? disk.root : place(folder)
        await removeTree(disk, path)
        folders.forget(path)
      }),
    // What is unfinished lies in the caller's temporary folder.
    async removeUnfinished() {},
    check: () =>
      explained(async () => {
        refuseBroken(disk)
        await tryToWrite(disk)
      }),
    localPath: place,
    async [Symbol.asyncDispose]() {},
  }
}

/** To ask for permission is not enough: a file system that has turned read-only after an error still grants it. */
async function tryToWrite({ root }: Disk): Promise<void> {
  const trial = join(root, '.check')
  await using _made = await open(trial, 'w')
  // Another check may have been faster.
  await rm(trial, { force: true })
}

/** Joins, then checks once more that this is in the tree. */
function placeOf(root: string, key: string): string {
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

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw diskFault(error)
  }
}
