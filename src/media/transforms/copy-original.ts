import { constants, copyFile, open } from 'node:fs/promises'
import { LruMap } from '../../lib/lru.ts'
import type { Site } from '../../site/index.ts'
import { type KnownBytes, proveBytes, sinkInto, withOneSum } from '../../storage/index.ts'
import { fileDamaged } from '../errors.ts'

/** When a disk last changed originals that were compared with their row. A file is asked for in several sizes, one after the other. */
const proven = new LruMap<string, number>(10_000)

/** Copies stored bytes into a new file, whose bytes are those of the row. */
export async function copyOriginal(
  { storage, number }: Pick<Site, 'storage' | 'number'>,
  known: KnownBytes,
  to: string,
): Promise<void> {
  const name = `${number} ${known.key}`
  const path = storage.localPath?.(known.key)
  const stored = path === undefined ? undefined : await storage.stat(known.key)
  const changedMs = stored?.sizeBytes === known.sizeBytes ? stored.changedMs : undefined
  if (path !== undefined && changedMs !== undefined && proven.get(name) === changedMs)
    return copyFile(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  await using copy = await open(to, 'wx', 0o644)
  const { state } = await proveBytes(storage, withOneSum(known), { sink: sinkInto(copy) })
  if (state !== 'sound') throw fileDamaged()
  if (changedMs !== undefined) proven.set(name, changedMs)
}
