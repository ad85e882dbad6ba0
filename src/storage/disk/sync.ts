import { readlinkSync } from 'node:fs'
import { access, constants, type FileHandle, open, realpath } from 'node:fs/promises'
import { codeOf, storageBroken } from '../errors.ts'

/** A folder tree, and whether it has lost bytes. */
export interface Disk {
  /** Without symbolic links, so that the place of an opened file can be compared with it. */
  readonly root: string
  brokenBy: unknown
}

/** Makes what was written to a file, or the names in a folder, survive a power cut. */
export async function syncHandle(disk: Disk, handle: FileHandle): Promise<void> {
  try {
    await handle.sync()
  } catch (error) {
    if (codeOf(error) !== 'EIO') throw error
    // The system tells of lost bytes once: a second fsync would succeed, so nothing is believed from now on.
    disk.brokenBy ??= error
    throw storageBroken(error)
  }
}

export function refuseBroken(disk: Disk): void {
  if (disk.brokenBy !== undefined) throw storageBroken(disk.brokenBy)
}

/** Opens a folder of the tree; a symbolic link on the way there is an error. */
export async function openFolder(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    if (await isAt(handle, path)) return handle
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  throw Object.assign(new Error('A symbolic link stands in the storage.'), { code: 'ELOOP' })
}

/** O_NOFOLLOW minds only the last part of a path; where the file really is tells of links in the others. */
export async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await realpath(path)) === path
  // Answered from the kernel's memory, so that it cannot wait for a disk.
  return readlinkSync(`/proc/self/fd/${handle.fd}`) === path
}

/** For what may be missing. A disk that is not mounted has none of its files, but they are not gone. */
export async function ignoreAbsent(disk: Disk, error: unknown): Promise<undefined> {
  if (!absentCodes.has(codeOf(error) ?? '')) throw error
  await access(disk.root)
}

const absentCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])
