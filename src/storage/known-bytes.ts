import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { englishOf, type Message, message } from '../lib/messages.ts'
import { type ByteSink, type Found, type KnownBytes, type Reading, readOnce } from './read-stored.ts'
import type { ByteRange, Storage } from './storage.ts'

export type Verdict =
  /** With their SHA-256 if the row has none, or if it was asked for. */
  { state: 'sound'; sha256: string | undefined } | { state: 'missing' } | DamagedVerdict

interface DamagedVerdict {
  state: 'damaged'
  /** In English: `has 12 bytes, not 13`. */
  fault: string
  why: Message
}

const damagedBy = (why: Message): DamagedVerdict => ({ state: 'damaged', fault: englishOf(why), why })

/** One wrong answer of a storage, or of a proxy in front of it, is not believed. */
const mostReads = 3
const pauseMs = 100

/**
 * Reads stored bytes to their end and compares them with their row. What differs or is missing is read again, and what stays
 * missing is looked for in the listing, before it counts. Bytes whose row has no checksum must be read twice alike.
 */
export async function proveBytes(
  storage: Storage,
  known: KnownBytes,
  proving: Reading = {},
): Promise<Verdict> {
  let verdict: Verdict = { state: 'missing' }
  let unproven: string | undefined
  for (let reads = 1; reads <= mostReads; reads += 1) {
    if (reads > 1 && unproven === undefined && storage.kind === 's3') await sleep(pauseMs * reads)
    const found = await readOnce(storage, known, proving)
    verdict = verdictOn(known, found)
    if (verdict.state !== 'sound') continue
    const isProven = known.md5 !== undefined || known.sha256 !== undefined
    if (isProven || verdict.sha256 === unproven) return verdict
    unproven = verdict.sha256
  }
  if (verdict.state === 'sound') return damagedBy(message('readsDiffer'))
  const isListed = verdict.state === 'missing' && (await isInListing(storage, known.key))
  return isListed ? damagedBy(message('onlyListed')) : verdict
}

function verdictOn(known: KnownBytes, found: Found): Verdict {
  if (found === 'missing') return { state: 'missing' }
  if (found === 'broken') return damagedBy(message('readBreaks'))
  if (found.sizeBytes !== known.sizeBytes)
    return damagedBy(message('sizeDiffers', { found: found.sizeBytes, expected: known.sizeBytes }))
  const isEqual =
    (known.md5 ?? found.md5) === found.md5 && (known.sha256 === undefined || known.sha256 === found.sha256)
  return isEqual ? { state: 'sound', sha256: found.sha256 } : damagedBy(message('bytesDiffer'))
}

async function isInListing(storage: Storage, key: string): Promise<boolean> {
  const folder = key.slice(0, key.lastIndexOf('/'))
  const listed = await storage.list(folder, key.slice(0, -1), 10)
  return listed.some((entry) => entry.key === key)
}

/** Longer bytes of a bucket are not held in memory before they are sent. */
const mostProvenBytes = 8 * 1_048_576

/** Whether bytes are compared with their row before the first of them is sent. The scrub looks at those on a disk. */
export const isVerifiedBeforeSending = (storage: Storage, { sizeBytes }: KnownBytes): boolean =>
  storage.kind === 's3' && sizeBytes <= mostProvenBytes

/**
 * The bytes of a range, or all, to be sent to a client. Longer ones of a bucket must have the length that the row knows, and the
 * checksum if the bucket says one. The caller must read a stream to its end or destroy it.
 */
export async function openKnownBytes(
  storage: Storage,
  known: KnownBytes,
  range?: ByteRange,
): Promise<Buffer | Readable | Verdict> {
  if (isVerifiedBeforeSending(storage, known)) {
    const bytes = await readProven(storage, known)
    return Buffer.isBuffer(bytes) && range ? bytes.subarray(range.start, range.end + 1) : bytes
  }
  const stored = await storage.read(known.key, range)
  if (!stored) return { state: 'missing' }
  const { sizeBytes, md5 = known.md5, content } = stored
  if (sizeBytes === known.sizeBytes && (known.md5 === undefined || md5 === known.md5)) return content
  if (!Buffer.isBuffer(content)) content.destroy()
  return damagedBy(
    sizeBytes === known.sizeBytes
      ? message('checksumDiffers')
      : message('sizeDiffers', { found: sizeBytes, expected: known.sizeBytes }),
  )
}

/** All bytes in memory, for those that are short. */
export async function readProven(storage: Storage, known: KnownBytes): Promise<Buffer | Verdict> {
  const bytes = Buffer.allocUnsafeSlow(known.sizeBytes)
  let filled = 0
  const sink: ByteSink = {
    restart: () => {
      filled = 0
    },
    write: (chunk) => {
      filled += chunk.copy(bytes, filled)
    },
  }
  const verdict = await proveBytes(storage, known, { sink })
  return verdict.state === 'sound' ? bytes : verdict
}

/** Writes the bytes into a file of the caller. */
export const sinkInto = (file: FileHandle): ByteSink => {
  let position = 0
  return {
    async restart() {
      await file.truncate(0)
      position = 0
    },
    async write(chunk) {
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position)
        done += bytesWritten
        position += bytesWritten
      }
    },
  }
}
