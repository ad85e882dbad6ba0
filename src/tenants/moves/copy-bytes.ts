import type { SiteDb } from '../../db/index.ts'
import { type FileKeys, fileKeysAfter, isKeyOwned } from '../../media/index.ts'
import type { Storage } from '../../storage/index.ts'
import { compareFile, copyFile } from './copy-file.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface BytesCopying {
  /** The rows of the site decide which keys are copied; a listing of the storage may be incomplete. */
  db: SiteDb
  from: Storage
  to: Storage
  /** For files in transit, on the file system of the data folder. */
  spool: string
  /** Called between any two files; throws to stop the move. */
  onFile: (copied: number) => void
}

export interface CopyRound {
  /** How many stored files were copied. */
  copied: number
  /** Keys of rows whose bytes were already missing at the old location. */
  lost: string[]
}

const pageSize = 500
const maxParallel = 4

/**
 * One round over all rows. Bytes that are missing at the new location are copied and read back; bytes that are there
 * are compared with the old ones. Later rounds skip a verified file, since the bytes of a revision never change. After a round
 * behind the closed write fence every key of every row is verified or listed as lost.
 */
export async function copyBytes(copying: BytesCopying, verifiedFiles: VerifiedFiles): Promise<CopyRound> {
  const round: CopyRound = { copied: 0, lost: [] }
  await using pass = await verifiedFiles.startPass()
  const copyKeys = async ({ keys }: FileKeys): Promise<boolean> => {
    let isVerified = true
    for (const { key, sizeBytes } of keys) {
      const outcome = await copyOrCompare(copying, key, sizeBytes)
      if (outcome === 'copied') round.copied += 1
      if (outcome === 'lost') {
        isVerified = false
        // The bytes of a file or a revision that was removed meanwhile are rightly gone.
        if (await isKeyOwned(copying.db, key)) round.lost.push(key)
      }
      copying.onFile(round.copied)
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

async function copyOrCompare(
  copying: BytesCopying,
  key: string,
  sizeBytes: number,
): Promise<'copied' | 'equal' | 'lost'> {
  const [before, after] = await Promise.all([copying.from.stat(key), copying.to.stat(key)])
  if (!before) return after?.sizeBytes === sizeBytes ? 'equal' : 'lost'
  if (after?.sizeBytes === before.sizeBytes) {
    await compareFile(copying, key)
    return 'equal'
  }
  return (await copyFile(copying, key)) ? 'copied' : 'lost'
}
