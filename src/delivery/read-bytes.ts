import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { App } from '../app.ts'
import { LruMap } from '../lib/lru.ts'
import { Refusal } from '../lib/refusal.ts'
import { type FoundBytes, fileDamaged } from '../media/index.ts'
import type { Site } from '../site/index.ts'
import { type ByteRange, openKnownBytes } from '../storage/index.ts'
import { type OpenedChunks, readFirstChunk } from './send-bytes.ts'

/** The bytes that one request reads. */
export interface Reading {
  app: App
  site: Site
  found: FoundBytes
}

/** All bytes of a file, for files that fit in memory. */
export async function readWhole(reading: Reading): Promise<Buffer> {
  const content = await readChecked(reading)
  const { sizeBytes } = reading.found
  const bytes = Buffer.isBuffer(content)
    ? content
    : await orDamaged(reading, collectBytes(content, sizeBytes))
  if (bytes.length !== sizeBytes) throw damaged(reading, bytes.length)
  return bytes
}

/** Allocates the whole buffer first: joining chunks later would take twice the memory. */
async function collectBytes(content: Readable, sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let filled = 0
  for await (const chunk of content as AsyncIterable<Buffer>) filled += chunk.copy(bytes, filled)
  return bytes.subarray(0, filled)
}

/** Waits for the first bytes of a stream, so that a read error is known before the response begins. */
export async function readRange(reading: Reading, range?: ByteRange): Promise<Buffer | Readable> {
  const content = await readChecked(reading, range)
  if (!Buffer.isBuffer(content)) await orDamaged(reading, once(content, 'readable'))
  return content
}

/** Opens a large file to be read in chunks; undefined if the storage has only streams. */
export async function openChunks(
  reading: Reading,
  { range, isCrowded }: { range: ByteRange | undefined; isCrowded: boolean },
): Promise<OpenedChunks | undefined> {
  const { site, found } = reading
  if (!site.storage.open) return undefined
  const file = await site.storage.open(found.key)
  try {
    if (file?.sizeBytes !== found.sizeBytes) throw damaged(reading, file?.sizeBytes)
    const { start, end } = range ?? { start: 0, end: found.sizeBytes - 1 }
    const opened = await orDamaged(
      reading,
      readFirstChunk(file, { start, lengthBytes: end - start + 1, isCrowded }),
    )
    if (opened.filledBytes === 0) throw damaged(reading, 'shorter than it was')
    return opened
  } catch (error) {
    await file?.close()
    throw error
  }
}

/** Refuses a file whose bytes are missing or of another length, without reading them. */
export async function checkStored(reading: Reading): Promise<void> {
  const stored = await reading.site.storage.stat(reading.found.key)
  if (stored?.sizeBytes !== reading.found.sizeBytes) throw damaged(reading, stored?.sizeBytes)
  recentlyChecked.set(nameOf(reading), true)
}

export const isDamaged = (error: unknown) => error instanceof Refusal && error.code === fileDamaged().code

const recentlyChecked = new LruMap<string, true>(10_000)

/**
 * Synchronous variant of `checkStored`, only for files that it has found lately: then the kernel has the inode cached, and
 * `lstat` does not wait for a disk.
 */
export function isStoredSync(reading: Reading): boolean {
  const { site, found } = reading
  return (
    recentlyChecked.get(nameOf(reading)) === true &&
    site.storage.statSync?.(found.key)?.sizeBytes === found.sizeBytes
  )
}

/** Unique: a site never reuses a key, and two sites never have one number. */
export const nameOf = ({ site, found }: Reading): string => `${site.number} ${found.key}`

async function readChecked(reading: Reading, range?: ByteRange): Promise<Buffer | Readable> {
  const { site, found } = reading
  const content = await openKnownBytes(site.storage, found, range).catch((error) => {
    // The range is within the size in the row, so the stored file has become shorter.
    if (error instanceof Refusal && error.code === 'range-outside') throw damaged(reading, 'shorter')
    throw error
  })
  if ('state' in content) throw damaged(reading, 'fault' in content ? content.fault : content.state)
  return content
}

const orDamaged = <T>(reading: Reading, work: Promise<T>): Promise<T> =>
  work.catch((error) => Promise.reject(damaged(reading, String(error))))

/** A row without its bytes is never the client's fault; the operator must look. A derived picture may just have been evicted. */
function damaged({ app, site, found }: Reading, stored: number | string | undefined) {
  const { key, sizeBytes } = found
  const about = { site: site.number, key, sizeBytes, stored }
  if (found.derived) app.log.info(about, 'A kept picture was removed before it could be sent')
  else app.log.error(about, 'A stored file is missing or damaged')
  return fileDamaged()
}
