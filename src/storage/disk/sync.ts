import { closeSync, fsync, open, readlinkSync } from 'node:fs'
import { access, constants, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf, storageBroken } from '../errors.ts'
import type { Modes } from './modes.ts'

/** A folder tree, and whether it has lost bytes. */
export interface Disk {
  /** Without symbolic links, so that the path of an opened file can be compared with it. */
  readonly root: string
  readonly modes: Modes
  brokenBy: unknown
}

/** A file or folder that is open in order to be synced; closing it then does not wait, so it is closed synchronously. */
export interface Opened extends Disposable {
  readonly fd: number
}

const [openPath, syncDescriptor] = [promisify(open), promisify(fsync)]

/** A symbolic link at the end of the path is an error. */
export async function openToSync(path: string, flags = 0): Promise<Opened> {
  const fd = await openPath(path, constants.O_RDONLY | constants.O_NOFOLLOW | flags)
  return { fd, [Symbol.dispose]: () => closeSync(fd) }
}

/** Makes the bytes of a file, or the names in a folder, survive a power cut. */
export async function syncOpened(disk: Disk, { fd }: Opened): Promise<void> {
  try {
    await syncDescriptor(fd)
  } catch (error) {
    if (codeOf(error) !== 'EIO') throw error
    // The system reports lost bytes once: a second fsync would succeed, so no later success is trusted.
    disk.brokenBy ??= error
    throw storageBroken(error)
  }
}

export function refuseBroken(disk: Disk): void {
  if (disk.brokenBy !== undefined) throw storageBroken(disk.brokenBy)
}

/** Opens a folder of the tree; a symbolic link on its path is an error. */
export async function openFolder(path: string): Promise<Opened> {
  using handles = new DisposableStack()
  const folder = handles.use(await openToSync(path, constants.O_DIRECTORY))
  if (await isAt(folder, path)) {
    handles.move()
    return folder
  }
  throw Object.assign(new Error('There is a symbolic link in the storage.'), { code: 'ELOOP' })
}

/** O_NOFOLLOW checks only the last part of a path; the real path of the descriptor shows links in the other parts. */
export async function isAt({ fd }: { fd: number }, path: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await realpath(path)) === path
  // Answered from the kernel's memory, without disk access.
  return readlinkSync(`/proc/self/fd/${fd}`) === path
}

/** Ignores a missing file, but not a missing root: then a disk is not mounted, and its files still exist. */
export async function ignoreAbsent(disk: Disk, error: unknown): Promise<undefined> {
  if (!absentCodes.has(codeOf(error) ?? '')) throw error
  await access(disk.root)
}

const absentCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])
