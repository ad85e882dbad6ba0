import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import { LruMap } from '../../lib/lru.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { FoundBytes } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { ByteRange } from '../../storage/index.ts'
import { fileDamaged } from './errors.ts'
import { type Begun, beginPieces } from './send-pieces.ts'

/** What is to be read for one request. */
export interface Reading {
  app: App
  site: Site
  found: FoundBytes
}

/** All bytes of a file that is not too large for it. */
export async function readWhole(reading: Reading): Promise<Buffer> {
  const content = await readChecked(reading)
  const { sizeBytes } = reading.found
  const bytes = Buffer.isBuffer(content) ? content : await orDamaged(reading, gathered(content, sizeBytes))
  if (bytes.length !== sizeBytes) throw damaged(reading, bytes.length)
  return bytes
}

/** Into one buffer from the start: pieces that are joined later would take the room twice. */
async function gathered(content: Readable, sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let filled = 0
  for await (const chunk of content as AsyncIterable<Buffer>) filled += chunk.copy(bytes, filled)
  return bytes.subarray(0, filled)
}

/** A stream has its first bytes at hand, so that what keeps us from reading is known before anything is answered. */
export async function readPiece(reading: Reading, piece?: ByteRange): Promise<Buffer | Readable> {
  const content = await readChecked(reading, piece)
  if (!Buffer.isBuffer(content)) await orDamaged(reading, once(content, 'readable'))
  return content
}

/** A long file that is read piece by piece; nothing where it has to come as a stream. */
export async function readPieces(reading: Reading, piece?: ByteRange): Promise<Begun | undefined> {
  const { site, found } = reading
  if (!site.storage.open) return undefined
  const file = await site.storage.open(found.key)
  try {
    if (file?.sizeBytes !== found.sizeBytes) throw damaged(reading, file?.sizeBytes)
    const { start, end } = piece ?? { start: 0, end: found.sizeBytes - 1 }
    const begun = await orDamaged(reading, beginPieces(file, start, end - start + 1))
    if (begun.filledBytes === 0) throw damaged(reading, 'shorter than it was')
    return begun
  } catch (error) {
    await file?.close()
    throw error
  }
}

/** Refuses a file whose bytes are not there, without reading them. */
export async function checkStored(reading: Reading): Promise<void> {
  const stored = await reading.site.storage.stat(reading.found.key)
  if (stored?.sizeBytes !== reading.found.sizeBytes) throw damaged(reading, stored?.sizeBytes)
  checkedLately.set(nameOf(reading), true)
}

const checkedLately = new LruMap<string, true>(10_000)

/** Whether they are there, without waiting: only where they were lately. Then the system has their place in memory. */
export function isStoredAtOnce(reading: Reading): boolean {
  const { site, found } = reading
  return (
    checkedLately.get(nameOf(reading)) === true &&
    site.storage.statAtOnce?.(found.key)?.sizeBytes === found.sizeBytes
  )
}

/** No key is ever used twice by a site, and no number by two. */
export const nameOf = ({ site, found }: Reading): string => `${site.number} ${found.key}`

async function readChecked(reading: Reading, range?: ByteRange): Promise<Buffer | Readable> {
  const { site, found } = reading
  const stored = await site.storage.read(found.key, range).catch((error) => {
    // The range is within the file as it was stored, so that it has become shorter.
    if (error instanceof Refusal && error.code === 'range-outside') return undefined
    throw error
  })
  if (stored?.sizeBytes === found.sizeBytes) return stored.content
  if (stored && !Buffer.isBuffer(stored.content)) stored.content.destroy()
  throw damaged(reading, stored?.sizeBytes)
}

const orDamaged = <T>(reading: Reading, work: Promise<T>): Promise<T> =>
  work.catch((error) => Promise.reject(damaged(reading, String(error))))

/** A row without its bytes is never a visitor's fault, and somebody should look. */
function damaged({ app, site, found }: Reading, stored: number | string | undefined) {
  const { key, sizeBytes } = found
  app.log.error({ site: site.number, key, sizeBytes, stored }, 'A stored file is missing or damaged')
  return fileDamaged()
}
