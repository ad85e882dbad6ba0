import type { Dirent } from 'node:fs'
import { lstat, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { LruMap } from '../../lib/lru.ts'
import { Refusal } from '../../lib/refusal.ts'
import { draftOf } from '../backup/backup.ts'
import { type Manifest, readManifest } from '../backup-format/manifest.ts'
import { backupNotFound, backupsUnreadable } from '../errors.ts'

/** A backup in the folder of this server, as `terrace backup` makes it. */
export interface Backup {
  name: string
  /** Undefined if it cannot be read, for the reason in `fault`. */
  manifest: BackupSummary | undefined
  fault: Refusal | undefined
}

export type BackupSummary = Pick<Manifest, 'madeAt' | 'tenant' | 'tenants' | 'files' | 'bytes'>

type Folder = Pick<Config, 'backupDir'>

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const unfinishedForm = /\.unfinished-[0-9a-f]+$/

/** What is older than these is not listed. */
const mostListed = 100

/** The newest first, by their names. What is no backup is left out. */
export async function listBackups({ backupDir }: Folder): Promise<{ backups: Backup[]; older: number }> {
  const entries = await entriesOf(backupDir)
  const names = entries
    .filter((entry) => entry.isDirectory() && isName(entry.name))
    .map(({ name }) => name)
    .sort()
    .reverse()
  const backups: Backup[] = []
  for (const name of names.slice(0, mostListed)) backups.push(await readBackup({ backupDir }, name))
  return { backups, older: Math.max(0, names.length - mostListed) }
}

/** The manifest of ten thousand sites has megabytes, and is not changed once it is written. */
const summaries = new LruMap<string, BackupSummary>(2 * mostListed)

async function readBackup({ backupDir }: Folder, name: string): Promise<Backup> {
  const folder = join(backupDir, name)
  try {
    const written = await stat(join(folder, 'manifest.json')).catch(() => undefined)
    const mark = `${folder} ${written?.ino} ${written?.size} ${written?.mtimeMs}`
    const known = summaries.get(mark)
    if (written && known) return { name, manifest: known, fault: undefined }
    const { madeAt, tenant, tenants, files, bytes } = await readManifest(folder)
    const manifest = { madeAt, tenant, tenants, files, bytes }
    summaries.set(mark, manifest)
    return { name, manifest, fault: undefined }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { name, manifest: undefined, fault: error }
  }
}

const isName = (name: string) => nameForm.test(name) && !unfinishedForm.test(name)

async function entriesOf(backupDir: string): Promise<Dirent[]> {
  try {
    return await readdir(backupDir, { withFileTypes: true })
  } catch (error) {
    const fault = error as NodeJS.ErrnoException
    if (fault.code === 'ENOENT') return []
    throw backupsUnreadable(backupDir, fault)
  }
}

/** The folder of a backup whose name came from an address: no other name leads to a path, and no link out of the folder. */
export async function folderOfBackup(config: Folder, name: string): Promise<string> {
  if (!(await hasBackup(config, name))) throw backupNotFound(name.slice(0, 100))
  return join(config.backupDir, name)
}

export async function hasBackup({ backupDir }: Folder, name: string): Promise<boolean> {
  if (!isName(name)) return false
  const found = await lstat(join(backupDir, name)).catch(() => undefined)
  return found?.isDirectory() === true
}

/** The newest complete backup of everything: unchanged files of it are linked, not copied. */
export async function newestBackup(config: Folder): Promise<string | undefined> {
  const { backups } = await listBackups(config)
  const whole = backups.filter(({ manifest }) => manifest?.tenant === null)
  const [newest] = whole.sort((one, other) =>
    (other.manifest?.madeAt ?? '').localeCompare(one.manifest?.madeAt ?? ''),
  )
  return newest && join(config.backupDir, newest.name)
}

/** Removes what a server that ended has left of this backup. */
export async function removeDraftsOf({ backupDir }: Folder, name: string): Promise<void> {
  for (const entry of await entriesOf(backupDir))
    if (entry.name.startsWith(draftOf(name, '')))
      await rm(join(backupDir, entry.name), { recursive: true, force: true })
}
