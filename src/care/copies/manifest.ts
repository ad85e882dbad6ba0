import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableSteps } from '../../db/index.ts'
import { writeFileDurably } from '../../lib/durable.ts'
import { noBackup, otherTables } from '../errors.ts'

/** One file of lines in a backup. */
export interface Part {
  path: string
  sizeBytes: number
  sha256: string
  lines: number
}

/** What a backup consists of. Written last: a folder without it is no backup. */
export interface Manifest {
  format: 'terrace-backup'
  formatVersion: 1
  madeAt: string
  store: 'sqlite' | 'postgres'
  storage: 'disk' | 's3'
  /** The steps that the tables had gone through. */
  tables: readonly string[]
  /** One tenant's backup. */
  tenant: string | null
  /** How many values are sealed in it, and by which key most lately. */
  sealed: number
  keyId: string
  hasKeys: boolean
  parts: Part[]
  sites: number
  tenants: number
  files: number
  bytes: number
}

const manifestPath = (folder: string) => join(folder, 'manifest.json')

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const sha256 = hash('sha256', JSON.stringify(manifest))
  await writeFileDurably(manifestPath(folder), `${JSON.stringify({ sha256, manifest }, null, 1)}\n`)
}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestPath(folder), 'utf8').catch(() => undefined)
  if (text === undefined) throw noBackup(folder, 'it has no manifest.json')
  const { sha256, manifest } = parsed(folder, text)
  if (manifest?.format !== 'terrace-backup') throw noBackup(folder, 'its manifest.json is of something else')
  if (hash('sha256', JSON.stringify(manifest)) !== sha256)
    throw noBackup(folder, 'its manifest.json is not as it was written')
  const [here, there] = [new Set(tableSteps), new Set(manifest.tables)]
  if (here.symmetricDifference(there).size > 0) throw otherTables(folder, here.isSubsetOf(there))
  return manifest
}

function parsed(
  folder: string,
  text: string,
): { sha256?: string; manifest?: Manifest } & { manifest: Manifest } {
  try {
    return JSON.parse(text)
  } catch {
    throw noBackup(folder, 'its manifest.json is not as it was written')
  }
}
