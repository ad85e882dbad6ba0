import { readdir, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Disk, ignoreAbsent, type Opened, openFolder, syncOpened } from './sync.ts'

/** Syncs the folders too, so that deleted files do not reappear after a power cut. */
export async function removeFiles(disk: Disk, paths: readonly string[]): Promise<void> {
  for (const [folder, inFolder] of Map.groupBy(paths, (path) => dirname(path))) {
    using opened = await openIfThere(disk, folder)
    if (opened === undefined) continue
    for (const path of inFolder) await unlink(path).catch((error) => ignoreAbsent(disk, error))
    await syncOpened(disk, opened)
  }
}

export async function removeTree(disk: Disk, path: string): Promise<void> {
  const isRoot = path === disk.root
  using parent = await openIfThere(disk, isRoot ? path : dirname(path))
  if (parent === undefined) return
  const trees = isRoot ? await keyedNames(path) : [path]
  for (const tree of trees) await rm(tree, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
  await syncOpened(disk, parent)
}

async function keyedNames(root: string): Promise<string[]> {
  const names = await readdir(root)
  return names.filter((name) => !name.startsWith('.')).map((name) => join(root, name))
}

/** Opened before anything is removed, because `openFolder` refuses symbolic links. */
async function openIfThere(disk: Disk, folder: string): Promise<Opened | undefined> {
  return openFolder(folder).catch((error) => ignoreAbsent(disk, error))
}
