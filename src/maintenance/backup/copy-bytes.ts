import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, link, open, rm, stat } from 'node:fs/promises'
import { syncPath } from '../../lib/files/durable.ts'
import { type KnownBytes, proveBytes, type Storage, sinkInto } from '../../storage/index.ts'
import type { BytesCopy } from '../backup-format/site-copy.ts'

interface Copying {
  id: string
  known: KnownBytes
  path: string
  earlier: (BytesCopy & { path: string }) | undefined
  now: Date
  /** Bytes of the earlier backup that were last verified before this time are verified again before they are linked. */
  checkedSince: Date | undefined
  /** Called if the bytes in the earlier backup have changed since they were written. */
  onChanged: () => void
}

interface Copied {
  /** Undefined if neither the storage nor the earlier backup has the bytes that the row knows. */
  copy: BytesCopy | undefined
  /** Whether the stored bytes are missing, or are not those that the row knows. */
  isDamaged: boolean
}

/**
 * Copies the bytes of a key if they fit their row, or links those of an earlier backup. The bytes of a key never change, so
 * they are read again only if they were modified since they were backed up. Linked bytes are verified from time to time.
 */
export async function copyBytes(storage: Storage, copying: Copying): Promise<Copied> {
  const { id, known, path, now } = copying
  const earlier = await usableEarlier(copying)
  if (earlier && (await isUnmodified(storage, known, earlier)) && (await isLinked(copying, earlier)))
    return { copy: linkedCopy(earlier), isDamaged: false }
  const handle = await open(path, 'wx', 0o600)
  try {
    const proving = { sink: sinkInto(handle), needsSha256: true }
    const verdict = await proveBytes(storage, known, proving)
    if (verdict.state === 'sound') {
      await handle.sync()
      const { key, sizeBytes, md5 } = known
      const sums = { sha256: verdict.sha256 ?? '', ...(md5 === undefined ? {} : { md5 }) }
      return { copy: { id, key, sizeBytes, ...sums, checkedAt: now.toISOString() }, isDamaged: false }
    }
  } finally {
    await handle.close()
  }
  await rm(path)
  return { copy: earlier && (await rescuedCopy(copying, earlier)), isDamaged: true }
}

/** The bytes of the earlier backup are the only ones left: they are verified, and copied if they cannot be linked. */
async function rescuedCopy(copying: Copying, earlier: EarlierCopy): Promise<BytesCopy | undefined> {
  const verified = await usableEarlier({ ...copying, earlier, checkedSince: copying.now })
  if (verified && !(await isLinked(copying, verified))) {
    await copyFile(verified.path, copying.path)
    await syncPath(copying.path)
  }
  return verified && linkedCopy(verified)
}

async function isUnmodified(storage: Storage, known: KnownBytes, earlier: BytesCopy): Promise<boolean> {
  const found = await storage.stat(known.key)
  if (found?.sizeBytes !== known.sizeBytes) return false
  return found.modifiedAt.getTime() <= Date.parse(earlier.checkedAt ?? '')
}

type EarlierCopy = BytesCopy & { path: string }

const linkedCopy = ({ path: _path, ...copy }: EarlierCopy): BytesCopy => copy

/** The bytes in the earlier backup, if they are those that the row knows. */
async function usableEarlier(copying: Copying): Promise<EarlierCopy | undefined> {
  const { known, earlier, checkedSince, now, onChanged } = copying
  if (earlier?.sizeBytes !== known.sizeBytes) return undefined
  const found = await stat(earlier.path).catch(() => undefined)
  // Backups of earlier versions recorded neither the MD5 nor when linked bytes were last verified.
  const isUnproven = known.md5 !== undefined && earlier.md5 === undefined
  const isDue = checkedSince && !(Date.parse(earlier.checkedAt ?? '') >= checkedSince.getTime())
  let copy = earlier
  if (found?.size === earlier.sizeBytes && (isUnproven || isDue)) {
    const sums = await sumsOf(earlier.path).catch(() => undefined)
    if (sums?.sha256 !== earlier.sha256) return changed(onChanged)
    copy = { ...earlier, ...(known.md5 === undefined ? {} : { md5: sums.md5 }), checkedAt: now.toISOString() }
  }
  if (found?.size !== earlier.sizeBytes) return changed(onChanged)
  const fits =
    (known.md5 === undefined || known.md5 === copy.md5) &&
    (known.sha256 === undefined || known.sha256 === copy.sha256)
  return fits ? copy : undefined
}

function changed(onChanged: () => void): undefined {
  onChanged()
}

async function sumsOf(path: string): Promise<{ md5: string; sha256: string }> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')]
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    md5.update(chunk)
    sha256.update(chunk)
  }
  return { md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}

async function isLinked({ path }: Copying, earlier: EarlierCopy): Promise<boolean> {
  try {
    await link(earlier.path, path)
    return true
  } catch {
    // The earlier backup is on another file system: copy the bytes instead.
    await rm(path, { force: true })
    return false
  }
}
