import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { makeFolder } from '../../lib/files/durable.ts'
import type { Part } from './manifest.ts'

export interface PartWriter extends AsyncDisposable {
  write(line: unknown): Promise<void>
  /** Syncs the file to disk and returns its size and checksum. */
  finish(): Promise<Part>
}

const bufferedBytes = 1 << 18

/** Writes JSON lines. */
export async function openPart(folder: string, path: string): Promise<PartWriter> {
  await makeFolder(dirname(join(folder, path)))
  const handle = await open(join(folder, path), 'wx', 0o600)
  const sha256 = createHash('sha256')
  let text = ''
  let sizeBytes = 0
  let lines = 0
  const flush = async () => {
    const bytes = Buffer.from(text)
    text = ''
    sha256.update(bytes)
    sizeBytes += bytes.length
    await handle.writeFile(bytes)
  }
  return {
    async write(line) {
      text += `${JSON.stringify(line)}\n`
      lines += 1
      if (text.length >= bufferedBytes) await flush()
    },
    async finish() {
      await flush()
      await handle.sync()
      return { path, sizeBytes, sha256: sha256.digest('hex'), lines }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** The values of a file of JSON lines. */
export async function* linesOf<T>(folder: string, path: string): AsyncGenerator<T> {
  const input = createReadStream(join(folder, path))
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      yield JSON.parse(line) as T
    }
  } finally {
    input.destroy()
  }
}

/** The SHA-256 and the size of a file, read in chunks. */
export async function hashOfFile(path: string): Promise<{ sha256: string; sizeBytes: number }> {
  const sha256 = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    sha256.update(chunk)
    sizeBytes += chunk.length
  }
  return { sha256: sha256.digest('hex'), sizeBytes }
}

/** Whether a file still has the size and SHA-256 that were recorded when it was written. */
export async function hasDigest(
  path: string,
  written: { sizeBytes: number; sha256: string },
): Promise<boolean> {
  const found = await hashOfFile(path).catch(() => undefined)
  return found?.sha256 === written.sha256 && found.sizeBytes === written.sizeBytes
}
