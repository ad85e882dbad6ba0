import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Reads through one buffer, because a stream would leave one for each of its chunks behind. */
export async function hashPiece(
  path: string,
  start: number,
  sizeBytes: number,
  algorithm: 'sha256' | 'md5' = 'sha256',
): Promise<Buffer> {
  const hash = createHash(algorithm)
  await using file = await open(path)
  const chunk = Buffer.allocUnsafe(Math.min(sizeBytes, 262_144))
  for (let done = 0; done < sizeBytes; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, sizeBytes - done), start + done)
    if (bytesRead === 0) throw new Error('A temporary file became shorter while it was stored.')
    hash.update(chunk.subarray(0, bytesRead))
    done += bytesRead
  }
  return hash.digest()
}
