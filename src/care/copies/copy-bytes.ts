import { createHash } from 'node:crypto'
import { link, open, rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Storage } from '../../storage/index.ts'
import type { BytesCopy } from './site-copy.ts'

interface Copying {
  id: string
  key: string
  sizeBytes: number
  path: string
  earlier: (BytesCopy & { path: string }) | undefined
}

/** Bytes under a key never change, so that those of an earlier backup are as good. Nothing when they are missing. */
export async function copyBytes(storage: Storage, copying: Copying): Promise<BytesCopy | undefined> {
  const { id, key, sizeBytes, path, earlier } = copying
  if (earlier?.sizeBytes === sizeBytes && (await isLinked(earlier.path, path, sizeBytes)))
    return { id, key, sizeBytes, sha256: earlier.sha256 }
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
  return { id, key, sizeBytes, sha256: sha256.digest('hex') }
}

async function isLinked(from: string, to: string, sizeBytes: number): Promise<boolean> {
  try {
    const { size } = await stat(from)
    if (size !== sizeBytes) return false
    await link(from, to)
    return true
  } catch {
    // On another file system, or no longer there: then it is copied.
    return false
  }
}
