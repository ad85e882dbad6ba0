import { createHash } from 'node:crypto'
import { link, open, rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Storage } from '../../storage/index.ts'
import { hashOfFile } from '../backup-format/part-file.ts'
import type { BytesCopy } from '../backup-format/site-copy.ts'

interface Copying {
  id: string
  key: string
  sizeBytes: number
  path: string
  earlier: (BytesCopy & { path: string }) | undefined
  now: Date
  /** Bytes of the earlier backup that were last verified before this time are verified again before they are linked. */
  checkedSince: Date | undefined
  /** Called if the bytes in the earlier backup have changed since they were written. */
  onChanged: () => void
}

/**
 * Copies the bytes of a key, or links those of an earlier backup: the bytes of a key never change. Linked bytes are
 * verified from time to time. Undefined if the bytes are missing or truncated.
 */
export async function copyBytes(storage: Storage, copying: Copying): Promise<BytesCopy | undefined> {
  const { id, key, sizeBytes, path, now } = copying
  const linked = await linkEarlier(copying)
  if (linked) return linked
  const stored = await storage.read(key)
  if (!stored) return undefined
  const sha256 = createHash('sha256')
  let written = 0
  await using handle = await open(path, 'wx', 0o640)
  const { content } = stored
  const chunks: Iterable<Buffer> | Readable = Buffer.isBuffer(content) ? [content] : content
  for await (const chunk of chunks) {
    sha256.update(chunk)
    await handle.writeFile(chunk)
    written += chunk.length
  }
  if (written !== sizeBytes) {
    await rm(path)
    return undefined
  }
  await handle.sync()
  return { id, key, sizeBytes, sha256: sha256.digest('hex'), checkedAt: now.toISOString() }
}

async function linkEarlier(copying: Copying): Promise<BytesCopy | undefined> {
  const { id, key, sizeBytes, path, earlier, onChanged } = copying
  if (earlier?.sizeBytes !== sizeBytes) return undefined
  const state = await stateOf(earlier, copying)
  if (state === 'changed') onChanged()
  if (state === 'changed' || !(await isLinked(earlier.path, path))) return undefined
  const checkedAt = state === 'checked' ? copying.now.toISOString() : earlier.checkedAt
  return { id, key, sizeBytes, sha256: earlier.sha256, ...(checkedAt === undefined ? {} : { checkedAt }) }
}

async function stateOf(
  earlier: BytesCopy & { path: string },
  { checkedSince }: Copying,
): Promise<'changed' | 'checked' | 'known'> {
  const found = await stat(earlier.path).catch(() => undefined)
  if (found?.size !== earlier.sizeBytes) return 'changed'
  // Backups of earlier versions did not record when linked bytes were last verified.
  const isDue = checkedSince && !(Date.parse(earlier.checkedAt ?? '') >= checkedSince.getTime())
  if (!isDue) return 'known'
  const read = await hashOfFile(earlier.path).catch(() => undefined)
  return read?.sha256 === earlier.sha256 ? 'checked' : 'changed'
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch {
    // The earlier backup is on another file system: copy the bytes instead.
    await rm(to, { force: true })
    return false
  }
}
