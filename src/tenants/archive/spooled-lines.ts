import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

export interface SpooledLines {
  path: string
  sizeBytes: number
  sha256: string
}

const bufferedCharacters = 1 << 18

/** JSON lines in a file of their own, because an entry begins with its length. */
export async function openLines(path: string) {
  const handle = await open(path, 'wx', 0o600)
  const sha256 = createHash('sha256')
  let text = ''
  let sizeBytes = 0
  const flush = async () => {
    const bytes = Buffer.from(text)
    text = ''
    sha256.update(bytes)
    sizeBytes += bytes.length
    await handle.appendFile(bytes)
  }
  return {
    async write(line: unknown): Promise<void> {
      text += `${JSON.stringify(line)}\n`
      if (text.length >= bufferedCharacters) await flush()
    },
    async finish(): Promise<SpooledLines> {
      await flush()
      return { path, sizeBytes, sha256: sha256.digest('hex') }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}
