import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { randomId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Storage, StoredKey } from '../../storage/index.ts'
import { copyDamaged } from '../errors.ts'

export interface Copying {
  from: Storage
  to: Storage
  /** For files on their way, on the file system of the data folder. */
  spool: string
  /** Called between any two files; throws to make an end. */
  onFile: (copied: number) => void
}

const atOnce = 4

/**
 * One round over all files: what is missing at the new place is copied and read back. In the first round what is there
 * already is read and compared too; later ones need not, because no file is ever changed. Answers how many were copied.
 */
export async function copyBytes(copying: Copying, options: { isFirst: boolean }): Promise<number> {
  let copied = 0
  const there = keysOf(copying.to)
  let next = await there.next()
  const waiting: StoredKey[] = []
  const work = async (entry: StoredKey, isThere: boolean) => {
    if (isThere && options.isFirst) await compareFile(copying, entry)
    const isCopied = !isThere && (await copyFile(copying, entry))
    if (isCopied) copied += 1
    copying.onFile(copied)
  }
  const flush = async () => {
    await Promise.all(waiting.splice(0).map((entry) => work(entry, false)))
  }
  for await (const entry of keysOf(copying.from)) {
    while (!next.done && isBefore(next.value.key, entry.key)) next = await there.next()
    const isThere = !next.done && next.value.key === entry.key && next.value.sizeBytes === entry.sizeBytes
    if (isThere) await work(entry, true)
    else if (waiting.push(entry) === atOnce) await flush()
  }
  await flush()
  return copied
}

const pageSize = 1_000

/** In the order of their bytes, on both sides. */
async function* keysOf(storage: Storage): AsyncGenerator<StoredKey> {
  for (let last: string | undefined; ; ) {
    const page = await storage.list('', last, pageSize)
    yield* page
    last = page.at(-1)?.key
    if (page.length < pageSize) return
  }
}

const isBefore = (one: string, two: string) => Buffer.compare(Buffer.from(one), Buffer.from(two)) < 0

/** False where it was removed before we came to it. */
async function copyFile({ from, to, spool }: Copying, { key }: StoredKey): Promise<boolean> {
  const path = join(spool, randomId())
  try {
    const stored = await from.read(key)
    if (!stored) return false
    const hash = createHash('sha256')
    await pipeline(
      streamOf(stored.content),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    )
    // Nothing is ever removed there: another mover, who took over from us, may have read it back already.
    await to.put([{ key, path }]).catch(ignoreIfThere)
    if ((await hashOf(to, key)) !== hash.digest('hex')) throw copyDamaged(key)
    return true
  } finally {
    await rm(path, { force: true })
  }
}

/** A stopped move may have put it there. */
function ignoreIfThere(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== 'key-taken') throw error
}

async function compareFile({ from, to }: Copying, { key }: StoredKey): Promise<void> {
  const [one, two] = await Promise.all([hashOf(from, key), hashOf(to, key)])
  if (one !== undefined && one !== two) throw copyDamaged(key)
}

async function hashOf(storage: Storage, key: string): Promise<string | undefined> {
  const stored = await storage.read(key)
  if (!stored) return undefined
  const hash = createHash('sha256')
  try {
    for await (const chunk of streamOf(stored.content)) hash.update(chunk)
  } catch (error) {
    throw error instanceof Refusal ? error : copyDamaged(key, error)
  }
  return hash.digest('hex')
}

const streamOf = (content: Buffer | Readable) =>
  Buffer.isBuffer(content) ? Readable.from([content]) : content
