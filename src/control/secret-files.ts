import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createFileDurably, removeDrafts, writeFileDurably } from '../lib/durable.ts'
import { randomSecret } from '../lib/ids.ts'
import type { KeySource } from '../lib/key-ring.ts'
import { Refusal } from '../lib/refusal.ts'

/** Secrets that nobody set are made at the first start and kept in the data folder, for its owner alone. */
export const secretFolder = (dataDir: string): string => join(dataDir, 'secrets')

export const requestSecretPath = (dataDir: string): string => join(secretFolder(dataDir), 'request-secret')

export const encryptionKeysPath = (dataDir: string): string => join(secretFolder(dataDir), 'encryption-keys')

export async function keptRequestSecret(dataDir: string): Promise<string> {
  const path = requestSecretPath(dataDir)
  if (readIfThere(path) === undefined) await createFileDurably(path, `${randomSecret()}\n`, 0o600)
  await removeDrafts(path, { olderThanMs: longestWriteMs })
  const secret = readFileSync(path, 'utf8').trim()
  if (secret === '') throw emptySecret(path)
  return secret
}

/** What took longer than this to write was not finished. */
const longestWriteMs = 600_000

const emptySecret = (path: string) =>
  new Refusal('invalid', 'empty-secret', `${path} is empty. Delete it to have a secret made.`)

/** The keys of a file that the tool can change while servers run. */
export interface KeyFile extends KeySource {
  /** Puts a new key in front: from now on it seals. */
  add(): Promise<void>
  /** Forgets all keys but the one in front. */
  retire(): Promise<void>
}

export async function openKeyFile(dataDir: string): Promise<KeyFile> {
  const path = encryptionKeysPath(dataDir)
  const write = (keys: readonly Uint8Array[]) => writeFileDurably(path, keys.map(keyLine).join(''), 0o600)
  if (readIfThere(path) === undefined) await createFileDurably(path, keyLine(randomBytes(32)), 0o600)
  await removeDrafts(path, { olderThanMs: longestWriteMs })

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
      // What a killed rotation left holds a key that is to be forgotten.
      await removeDrafts(path, { olderThanMs: 0 })
      refresh()
    },
  }
}

const keyLine = (key: Uint8Array) => `${Buffer.from(key).toString('base64')}\n`

/** The first that does not hold 32 bytes is named by its place, never by its text. */
export function parseKeys(lines: readonly string[]): Uint8Array[] {
  return lines.map((line, place) => {
    const key = Buffer.from(line.trim(), 'base64')
    // What is no base64 is skipped in silence, and a key with a slip in it would be another key.
    const isWhole = key.toString('base64').replace('=', '') === line.trim().replace('=', '')
    if (key.length !== 32 || !isWhole) throw new Error(`key ${place + 1} must be 32 bytes in base64`)
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
