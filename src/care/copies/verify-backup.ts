import { join } from 'node:path'
import { backupDamaged } from '../errors.ts'
import type { Manifest } from './manifest.ts'
import { hashOfFile, linesOf } from './part-file.ts'
import { type BytesCopy, bytesPath, filesPath, rowsPath, type SiteCopy } from './site-copy.ts'

const mostFaults = 20

/** The lists that say what else is to be read. */
export async function verifyControl(folder: string, { parts }: Manifest): Promise<void> {
  const faults: string[] = []
  for (const part of parts.filter(({ path }) => path.startsWith('control/')))
    if (!(await isAs(join(folder, part.path), part))) faults.push(`${part.path}: it is not as it was written`)
  if (faults.length > 0) throw backupDamaged(folder, faults)
}

/** Reads all that is to be restored, so that nothing is begun with what cannot be finished. */
export async function verifyBackup(
  folder: string,
  manifest: Manifest,
  sites: readonly SiteCopy[],
  onFile: () => void,
): Promise<void> {
  const faults: string[] = []
  const fault = (text: string) => {
    faults.push(text)
    if (faults.length >= mostFaults) throw backupDamaged(folder, faults)
  }
  const installed = sites.filter(({ installedAt }) => installedAt !== null)
  const wanted = new Set(installed.flatMap(({ number }) => [rowsPath(number), filesPath(number)]))
  for (const part of manifest.parts) {
    if (!wanted.delete(part.path)) continue
    if (!(await isAs(join(folder, part.path), part))) fault(`${part.path}: it is not as it was written`)
  }
  for (const path of wanted) fault(`${path}: the manifest does not name it`)
  // What stands in a list that has changed means nothing.
  if (faults.length > 0) throw backupDamaged(folder, faults)

  for (const site of installed) {
    await checkRows(folder, site, fault)
    for await (const copy of linesOf<BytesCopy>(folder, filesPath(site.number))) {
      const path = bytesPath(site.number, copy.key)
      if (!(await isAs(join(folder, path), copy))) fault(`${path}: these are not the bytes that were copied`)
      onFile()
    }
  }
  if (faults.length > 0) throw backupDamaged(folder, faults)
}

async function isAs(path: string, written: { sizeBytes: number; sha256: string }): Promise<boolean> {
  const found = await hashOfFile(path).catch(() => undefined)
  return found?.sha256 === written.sha256 && found.sizeBytes === written.sizeBytes
}

async function checkRows(folder: string, site: SiteCopy, fault: (text: string) => void): Promise<void> {
  const counts: Record<string, number> = {}
  for await (const [table] of linesOf<[string]>(folder, rowsPath(site.number)))
    counts[table] = (counts[table] ?? 0) + 1
  for (const [table, count] of Object.entries(site.rows)) {
    if ((counts[table] ?? 0) !== count)
      fault(`${rowsPath(site.number)}: ${counts[table] ?? 0} rows of ${table}, and ${count} were copied`)
  }
}
