import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Refusal } from '../lib/refusal.ts'
import { storageClaimed, storageUnavailable } from './errors.ts'
import type { Storage } from './storage.ts'

const claimKey = 'terrace-installation.json'

interface Claim {
  /** The installation's id. */
  owner: string
  /** A local folder for the small file that is put. */
  tempFolder: string
}

/** A storage that belongs to one installation. */
export interface ClaimedStorage extends Storage {
  /** Claims the storage; refuses if it belongs to another installation. */
  claim(): Promise<void>
}

/**
 * Every installation numbers its sites from 1: two installations in one folder would remove each other's files. The first
 * one puts an object with its id, and nothing is put, listed or removed before that object was read. Reading needs no
 * claim, since it harms nothing and the bucket may be unreachable at the start.
 */
export function claimedStorage(storage: Storage, { owner, tempFolder }: Claim): ClaimedStorage {
  let claimed: Promise<void> | undefined
  const claim = () => {
    const claiming = claimed ?? take(storage, owner, tempFolder)
    claimed = claiming
    // A failed claim is not remembered: the bucket may be back, or the other's object removed.
    claiming.catch(() => {
      if (claimed === claiming) claimed = undefined
    })
    return claiming
  }
  // Clients of a site get no details of installations; the log has the cause.
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    await claim().catch((error) => Promise.reject(isClaimed(error) ? storageUnavailable(error) : error))
    return work()
  }
  return {
    ...storage,
    claim,
    put: (batch, options) => guarded(() => storage.put(batch, options)),
    remove: (keys) => guarded(() => storage.remove(keys)),
    list: (folder, after, limit) => guarded(() => storage.list(folder, after, limit)),
    removeAll: (folder) => guarded(() => storage.removeAll(folder)),
    removeUnfinished: (folder, since) => guarded(() => storage.removeUnfinished(folder, since)),
    check: () => guarded(() => storage.check()),
  }
}

export const isClaimed = (error: unknown) => error instanceof Refusal && error.code === 'storage-claimed'

async function take(storage: Storage, owner: string, tempFolder: string): Promise<void> {
  const before = await ownerOf(storage)
  if (before === undefined) await putClaim(storage, owner, tempFolder)
  // Read it back: another installation may have been faster, and some servers ignore the condition of the put.
  const now = before ?? (await ownerOf(storage))
  if (now !== owner) throw storageClaimed(claimKey, now ?? '')
}

async function putClaim(storage: Storage, owner: string, tempFolder: string): Promise<void> {
  const path = join(tempFolder, `claim-${randomUUID()}`)
  try {
    await writeFile(path, `${JSON.stringify({ installation: owner })}\n`, { mode: 0o600 })
    await storage.put([{ key: claimKey, path }])
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'key-taken') throw error
  } finally {
    await rm(path, { force: true })
  }
}

async function ownerOf(storage: Storage): Promise<string | undefined> {
  const stored = await storage.read(claimKey)
  if (!stored) return undefined
  const text = String(await bytesOf(stored.content))
  try {
    const { installation } = JSON.parse(text) as { installation?: unknown }
    return String(installation)
  } catch {
    // Another program's object under this key.
    return text.slice(0, 100).trim()
  }
}

const bytesOf = (content: Buffer | Readable) => (Buffer.isBuffer(content) ? content : buffer(content))
