import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { SiteDb } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type FileKeys, fileKeysAfter, isKeyOwned, recordSum } from '../../media/index.ts'
import { type KnownBytes, proveBytes, type Storage, sinkInto } from '../../storage/index.ts'

interface BytesCopying extends Ends {
  /** The rows of the site decide which keys are copied; a listing of the storage may be incomplete. */
  db: SiteDb
  /** False behind the closed write fence: then rows that lack a checksum cannot get it. */
  mayWriteRows: boolean
  /** Called between any two files, with how many were copied and the size of this one; throws to stop the move. */
  onFile: (copied: number, sizeBytes: number) => void
}

interface CopyRound {
  /** How many stored files were copied. */
  copied: number
  /** Keys of rows that have no bytes at either location, as far as the storages say. */
  missing: string[]
  /** Keys of rows whose bytes at the old location, or whose copies, differ from what the row knows. */
  damaged: string[]
}

const pageSize = 500
const maxParallel = 4

/**
 * One round over all rows. Bytes that are missing at the new location, or differ from their row there, are copied and read
 * back. Later rounds skip a verified file, since the bytes of a revision never change. After a round behind the closed write
 * fence every key of every row is proven at the new location, or listed as missing or damaged.
 */
export async function copyBytes(copying: BytesCopying, verifiedFiles: VerifiedFiles): Promise<CopyRound> {
  const round: CopyRound = { copied: 0, missing: [], damaged: [] }
  await using pass = await verifiedFiles.startPass()
  const copyKeys = async ({ keys }: FileKeys): Promise<boolean> => {
    let isVerified = true
    for (const known of keys) {
      const outcome = await copyFile(copying, known)
      if (outcome.state === 'copied') round.copied += 1
      if (!('sha256' in outcome)) {
        isVerified = false
        // The bytes of a file or a revision that was removed meanwhile are rightly gone.
        if (await isKeyOwned(copying.db, known.key)) round[outcome.state].push(known.key)
      } else if (copying.mayWriteRows && isUnproven(known) && outcome.sha256 !== undefined) {
        await recordSum(copying.db, known.key, outcome.sha256)
      }
      copying.onFile(round.copied, known.sizeBytes)
    }
    return isVerified
  }
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileKeys[] = await fileKeysAfter(copying.db, last, pageSize)
    const unverified: FileKeys[] = []
    for (const file of page) if (!(await pass.has(nameOf(file)))) unverified.push(file)
    const verified: string[] = []
    for (let start = 0; start < unverified.length; start += maxParallel) {
      const batch = unverified.slice(start, start + maxParallel)
      const outcomes = await Promise.all(batch.map(copyKeys))
      verified.push(...batch.filter((_, index) => outcomes[index]).map(nameOf))
    }
    await pass.add(page.map(nameOf), verified)
    last = page.at(-1)?.id
  }
  await pass.complete()
  return round
}

/** A replacement of the bytes adds keys, and they must be verified too. In the order of ids. */
const nameOf = ({ id, revision }: FileKeys) => `${id} ${revision}`

const isUnproven = ({ md5, sha256 }: KnownBytes) => md5 === undefined && sha256 === undefined

interface Ends {
  from: Storage
  to: Storage
  /** For files in transit, on the file system of the data folder. */
  spool: string
}

type CopyOutcome =
  /** At the new location there are the bytes that the row knows. */
  | { state: 'copied' | 'equal'; sha256: string | undefined }
  /** There is no copy that fits the row. */
  | { state: 'missing' | 'damaged' }

/**
 * Brings the bytes of a key to the new location. Only the row proves them: a copy that fits it is kept, one that differs is
 * replaced by a sound one, and a copy is never compared with another copy alone.
 */
export async function copyFile({ from, to, spool }: Ends, known: KnownBytes): Promise<CopyOutcome> {
  const isProvable = known.md5 !== undefined || known.sha256 !== undefined
  const isThere = (await to.stat(known.key)) !== undefined
  if (isThere && isProvable) {
    const there = await proveBytes(to, known)
    if (there.state === 'sound') return { state: 'equal', sha256: there.sha256 }
  }
  const path = join(spool, randomId())
  try {
    const file = await open(path, 'wx', 0o600)
    const original = await proveBytes(from, known, { sink: sinkInto(file) }).finally(() => file.close())
    if (original.state !== 'sound') return { state: original.state }
    // From here on the checksum is known, though the row may have none.
    const proven = { ...known, sha256: known.sha256 ?? original.sha256 }
    if (isThere) {
      const there = await proveBytes(to, proven)
      if (there.state === 'sound') return { state: 'equal', sha256: original.sha256 }
      await to.remove([known.key])
    }
    // Never overwritten: another process may have taken this move over and proven the key already.
    await to.put([{ key: known.key, path }]).catch(ignoreIfTaken)
    const copy = await proveBytes(to, proven)
    return copy.state === 'sound' ? { state: 'copied', sha256: original.sha256 } : { state: 'damaged' }
  } finally {
    await rm(path, { force: true })
  }
}

/** An aborted move may have put the key already. */
function ignoreIfTaken(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== 'key-taken') throw error
}

/** The ids and revisions of the files whose copies a move has verified: a list on disk, since a site may have millions. */
interface VerifiedFiles {
  /** Starts a pass over all files in the order of their ids: it reads the list of the previous pass and writes a new one. */
  startPass(): Promise<VerificationPass>
}

interface VerificationPass extends AsyncDisposable {
  /** Must be called in the order of ids. */
  has(id: string): Promise<boolean>
  /** Writes those files of a page that `has` has found or that were verified in this pass. */
  add(page: readonly string[], verified: readonly string[]): Promise<void>
  /** Makes this pass's list the valid one. */
  complete(): Promise<void>
}

/** The list lies in the folder of the move and is removed with it: a repeated move verifies every file again. */
export function openVerifiedFiles(folder: string): VerifiedFiles {
  let passes = 0
  let current: string | undefined
  return {
    async startPass() {
      passes += 1
      const previous = current
      const path = join(folder, `proven-${passes}`)
      const file = await open(path, 'wx', 0o600)
      const lines = previous === undefined ? noLines() : linesOf(previous)
      return passOver(file, lines, async () => {
        current = path
        if (previous !== undefined) await rm(previous, { force: true })
      })
    },
  }
}

function passOver(
  file: FileHandle,
  lines: AsyncGenerator<string>,
  onComplete: () => Promise<void>,
): VerificationPass {
  let next: IteratorResult<string> | undefined
  let found = new Set<string>()
  return {
    async has(id) {
      next ??= await lines.next()
      while (!next.done && next.value < id) next = await lines.next()
      if (next.done || next.value !== id) return false
      found.add(id)
      return true
    },
    async add(page, verified) {
      const all = new Set([...found, ...verified])
      found = new Set()
      const text = page.flatMap((id) => (all.has(id) ? [`${id}\n`] : [])).join('')
      if (text !== '') await file.writeFile(text)
    },
    complete: onComplete,
    async [Symbol.asyncDispose]() {
      await lines.return(undefined)
      await file.close()
    },
  }
}

async function* noLines(): AsyncGenerator<string> {}

async function* linesOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path)
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  } finally {
    input.destroy()
  }
}

/** A site has one move at a time: every other spool folder of it was left by a killed process. */
export async function freshSpool(folder: string, site: number, generation: number): Promise<string> {
  const spool = join(folder, `${site}-${generation}`)
  await mkdir(spool, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const isLeftover = name.startsWith(`${site}-`) && name !== `${site}-${generation}`
    if (isLeftover) await rm(join(folder, name), { recursive: true, force: true })
  }
  return spool
}
