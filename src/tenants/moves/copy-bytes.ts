import type { SiteDb } from '../../db/index.ts'
import { type FileKeys, fileKeysAfter, isKeyOwned, recordSum } from '../../media/index.ts'
import type { KnownBytes } from '../../storage/index.ts'
import { copyFile, type Ends } from './copy-file.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface BytesCopying extends Ends {
  /** The rows of the site decide which keys are copied; a listing of the storage may be incomplete. */
  db: SiteDb
  /** False behind the closed write fence: then rows that lack a checksum cannot get it. */
  mayWriteRows: boolean
  /** Called between any two files; throws to stop the move. */
  onFile: (copied: number) => void
}

export interface CopyRound {
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

const isUnproven = ({ md5, sha256 }: KnownBytes) => md5 === undefined && sha256 === undefined
