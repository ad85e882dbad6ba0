import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../app.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { FoundBytes } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { ByteRange } from '../../storage/index.ts'
import { fileDamaged } from './errors.ts'
import type { HotCache } from './hot-cache.ts'

/** What is to be read for one request. */
interface Reading {
  app: App
  site: Site
  found: FoundBytes
}

/** The bytes of a small file, from memory where it was asked for lately. */
export async function readSmall(reading: Reading, cache: HotCache): Promise<Buffer> {
  const name = `${reading.site.number} ${reading.found.key}`
  const known = cache.get(name)
  if (known) return known
  const content = await readChecked(reading)
  const bytes = Buffer.isBuffer(content) ? content : await orDamaged(reading, buffer(content))
  if (bytes.length !== reading.found.sizeBytes) throw damaged(reading, bytes.length)
  cache.put(name, bytes)
  return bytes
}

/** A stream whose first bytes are there, so that what keeps us from reading is known before anything is answered. */
export async function readLarge(reading: Reading, range?: ByteRange): Promise<Buffer | Readable> {
  const content = await readChecked(reading, range)
  if (!Buffer.isBuffer(content)) await orDamaged(reading, once(content, 'readable'))
  return content
}

/** Refuses a file whose bytes are not there, without reading them. */
export async function checkStored(reading: Reading): Promise<void> {
  const stored = await reading.site.storage.stat(reading.found.key)
  if (stored?.sizeBytes !== reading.found.sizeBytes) throw damaged(reading, stored?.sizeBytes)
}

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
