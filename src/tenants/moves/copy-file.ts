import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type KnownBytes, proveBytes, type Storage, sinkInto } from '../../storage/index.ts'

export interface Ends {
  from: Storage
  to: Storage
  /** For files in transit, on the file system of the data folder. */
  spool: string
}

export type CopyOutcome =
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
