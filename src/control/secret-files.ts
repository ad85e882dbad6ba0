import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createFileDurably, removeDrafts, writeFileDurably } from '../lib/files/durable.ts'
import { randomSecret } from '../lib/ids.ts'
import type { KeySource } from '../lib/key-ring.ts'
import { Refusal } from '../lib/refusal.ts'

/** Secrets that are not configured are generated at the first start and stored here, readable for the owner only. */
export const secretFolder = (dataDir: string): string => join(dataDir, 'secrets')

export const requestSecretPath = (dataDir: string): string => join(secretFolder(dataDir), 'request-secret')

export const encryptionKeysPath = (dataDir: string): string => join(secretFolder(dataDir), 'encryption-keys')

export async function keptRequestSecret(dataDir: string): Promise<string> {
  const path = requestSecretPath(dataDir)
  if (readIfThere(path) === undefined) await createFileDurably(path, `${randomSecret()}\n`)
  await removeDrafts(path, { olderThanMs: longestWriteMs })
  const secret = readFileSync(path, 'utf8').trim()
  if (secret === '') throw emptySecret(path)
  return secret
}

/** A draft older than this belongs to a killed process. */
const longestWriteMs = 600_000

const emptySecret = (path: string) =>
  new Refusal('invalid', 'empty-secret', `${path} is empty. Delete it, and the next start creates a new one.`)

/** Encryption keys in a file that the command line tool can change while servers run. */
export interface KeyFile extends KeySource {
  /** Adds a new key in front, which encrypts from now on. */
  add(): Promise<void>
  /** Removes all keys but the first. */
  retire(): Promise<void>
}

export async function openKeyFile(dataDir: string): Promise<KeyFile> {
  const path = encryptionKeysPath(dataDir)
  const write = (keys: readonly Uint8Array[]) => writeFileDurably(path, keys.map(keyLine).join(''))
  if (readIfThere(path) === undefined) await createFileDurably(path, keyLine(randomBytes(32)))
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
      // Drafts of a killed rotation contain keys that must be removed too.
      await removeDrafts(path, { olderThanMs: 0 })
      refresh()
    },
  }
}

const keyLine = (key: Uint8Array) => `${Buffer.from(key).toString('base64')}\n`

/** The error names a faulty key by its position, never by its text. */
export function parseKeys(lines: readonly string[]): Uint8Array[] {
  return lines.map((line, index) => {
    const key = Buffer.from(line.trim(), 'base64')
    // Buffer skips characters that are not base64, so that a typo would give another key.
    const isWhole = key.toString('base64').replace('=', '') === line.trim().replace('=', '')
    if (key.length !== 32 || !isWhole) throw new Error(`key ${index + 1} must be 32 bytes in base64`)
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
