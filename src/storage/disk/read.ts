import { lstatSync, type Stats } from 'node:fs'
import { constants, type FileHandle, open } from 'node:fs/promises'
import { rangeOutside, storageUnavailable } from '../errors.ts'
import type { ByteRange, OpenedFile, StoredBytes, StoredState } from '../storage.ts'
import { type Disk, ignoreAbsent, isAt } from './sync.ts'

/** Up to this size one read into memory costs less than a stream. */
const smallBytes = 65_536

export async function readFileAt(
  disk: Disk,
  path: string,
  range?: ByteRange,
): Promise<StoredBytes | undefined> {
  const file = await openFile(disk, path)
  if (file === undefined) return undefined
  const { handle, stats } = file
  let isHandedOver = false
  try {
    const { start, end } = cutRange(stats.size, range)
    const known = { sizeBytes: stats.size, modifiedAt: stats.mtime }
    if (end - start < smallBytes)
      return { ...known, content: await readPiece(handle, start, end - start + 1) }
    isHandedOver = true
    return { ...known, content: handle.createReadStream({ start, end, highWaterMark: 262_144 }) }
  } finally {
    if (!isHandedOver) await handle.close()
  }
}

export async function openFileAt(disk: Disk, path: string): Promise<OpenedFile | undefined> {
  const file = await openFile(disk, path)
  if (file === undefined) return undefined
  const { handle, stats } = file
  return {
    sizeBytes: stats.size,
    fd: handle.fd,
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    close: () => handle.close(),
  }
}

export async function statFileAt(disk: Disk, path: string): Promise<StoredState | undefined> {
  const file = await openFile(disk, path)
  await file?.handle.close()
  return file && stateOf(file.stats)
}

export function statFileSync(path: string): StoredState | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stateOf(stats) : undefined
}

const stateOf = ({ size, mtime, ctimeMs }: Stats): StoredState => ({
  sizeBytes: size,
  modifiedAt: mtime,
  changedMs: ctimeMs,
})

export function cutRange(sizeBytes: number, range?: ByteRange): ByteRange {
  if (range === undefined) return { start: 0, end: sizeBytes - 1 }
  if (range.start >= sizeBytes || range.end < range.start) throw rangeOutside()
  return { start: range.start, end: Math.min(range.end, sizeBytes - 1) }
}

async function openFile(disk: Disk, path: string): Promise<{ handle: FileHandle; stats: Stats } | undefined> {
  // Without O_NONBLOCK a named pipe in the tree would block a thread for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch((error) => ignoreAbsent(disk, error))
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (stats.isFile() && (await isAt(handle, path))) return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

async function readPiece(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(piece, filled, length - filled, start + filled)
    if (bytesRead === 0) throw storageUnavailable(new Error('A stored file became shorter.'))
    filled += bytesRead
  }
  return piece
}
