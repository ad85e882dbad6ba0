import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableSteps, takesRowsOf } from '../../db/index.ts'
import { writeFileDurably } from '../../lib/files/durable.ts'
import { message } from '../../lib/messages.ts'
import { noBackup, otherTables } from '../errors.ts'

/** One file of lines in a backup. */
export interface Part {
  path: string
  sizeBytes: number
  sha256: string
  lines: number
}

/** The contents of a backup. Written last: a folder without it is no backup. */
export interface Manifest {
  format: 'terrace-backup'
  formatVersion: 1
  madeAt: string
  store: 'sqlite' | 'postgres'
  storage: 'disk' | 's3'
  /** The migrations that the tables have. */
  tables: readonly string[]
  /** The id of the tenant, if it is a backup of one tenant. */
  tenant: string | null
  /** The number of encrypted values, and the id of the newest key. */
  sealed: number
  keyId: string
  hasKeys: boolean
  /** Tells the request secret from others; backups of earlier versions have none. */
  secretId?: string
  parts: Part[]
  sites: number
  tenants: number
  files: number
  bytes: number
}

/** Reveals nothing about the secret. */
export const idOfSecret = (secret: string): string =>
  hash('sha256', `terrace request secret ${secret}`).slice(0, 12)

const manifestPath = (folder: string) => join(folder, 'manifest.json')

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const sha256 = hash('sha256', JSON.stringify(manifest))
  await writeFileDurably(manifestPath(folder), `${JSON.stringify({ sha256, manifest }, null, 1)}\n`)
}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestPath(folder), 'utf8').catch(() => undefined)
  if (text === undefined) throw noBackup(folder, message('noManifest'))
  const { sha256, manifest } = parsed(folder, text)
  if (manifest?.format !== 'terrace-backup') throw noBackup(folder, message('manifestOfOther'))
  if (hash('sha256', JSON.stringify(manifest)) !== sha256) throw noBackup(folder, message('manifestChanged'))
  const isNewer = new Set(tableSteps).isSubsetOf(new Set(manifest.tables))
  if (!takesRowsOf(manifest.tables)) throw otherTables(folder, isNewer)
  return manifest
}

function parsed(
  folder: string,
  text: string,
): { sha256?: string; manifest?: Manifest } & { manifest: Manifest } {
  try {
    return JSON.parse(text)
  } catch {
    throw noBackup(folder, message('manifestChanged'))
  }
}
