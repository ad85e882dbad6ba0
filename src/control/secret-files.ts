import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileDurably } from '../lib/durable.ts'
import type { KeySource } from '../lib/key-ring.ts'
import { randomSecret } from '../lib/ids.ts'

/** Secrets that nobody set are made at the first start and kept in the data folder, for its owner alone. */
export const secretFolder = (dataDir: string): string => join(dataDir, 'secrets')

export const requestSecretPath = (dataDir: string): string => join(secretFolder(dataDir), 'request-secret')

export async function keptRequestSecret(dataDir: string): Promise<string> {
  const path = requestSecretPath(dataDir)
  const kept = readIfThere(path)?.trim()
  if (kept) return kept
  const secret = randomSecret()
  await writeFileDurably(path, `${secret}\n`, 0o600)
  return secret
}

/** The keys of a file that the tool can change while servers run. */
export interface KeyFile extends KeySource {
  /** Puts a new key in front: from now on it seals. */
  add(): Promise<void>
  /** Forgets all keys but the one in front. */
  retire(): Promise<void>
}

export async function openKeyFile(dataDir: string): Promise<KeyFile> {
  const path = join(secretFolder(dataDir), 'encryption-keys')
  const write = (keys: readonly Uint8Array[]) =>
    writeFileDurably(path, keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join(''), 0o600)
  if (readIfThere(path) === undefined) await write([randomBytes(32)])

  let keys: readonly Uint8Array[] = []
  let seen = ''
  const refresh = () => {
    const { ino, mtimeMs } = statSync(path)
    if (`${ino} ${mtimeMs}` === seen) return
    keys = parseKeys(readFileSync(path, 'utf8').trim().split('\n'))
    seen = `${ino} ${mtimeMs}`
  }
  refresh()
  return {
    keys: () => keys,
    refresh,
    async add() {
      refresh()
      await write([randomBytes(32), ...keys])
      refresh()
    },
    async retire() {
      refresh()
      await write(keys.slice(0, 1))
      refresh()
    },
  }
}

/** The first that does not hold 32 bytes is named by its place, never by its text. */
export function parseKeys(lines: readonly string[]): Uint8Array[] {
  return lines.map((line, place) => {
    const key = Buffer.from(line.trim(), 'base64')
    if (key.length !== 32) throw new Error(`key ${place + 1} must be 32 bytes in base64, not ${key.length}`)
    return key
  })
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
