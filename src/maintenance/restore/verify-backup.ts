import { join } from 'node:path'
import { type Message, message } from '../../lib/messages.ts'
import type { Manifest } from '../backup-format/manifest.ts'
import { hasDigest, linesOf } from '../backup-format/part-file.ts'
import { type BytesCopy, bytesPath, filesPath, rowsPath, type SiteCopy } from '../backup-format/site-copy.ts'
import { backupDamaged } from '../errors.ts'

const maxFaults = 20

/** Verifies the lists of sites, plans and keys. */
export async function verifyControl(folder: string, { parts }: Manifest): Promise<void> {
  const faults: Message[] = []
  for (const part of parts.filter(({ path }) => path.startsWith('control/')))
    if (!(await hasDigest(join(folder, part.path), part)))
      faults.push(message('partChanged', { path: part.path }))
  if (faults.length > 0) throw backupDamaged(folder, faults)
}

/** Verifies everything that will be restored, before anything is written. */
export async function verifyBackup(
  folder: string,
  manifest: Manifest,
  sites: readonly SiteCopy[],
  onFile: (sizeBytes: number) => void,
): Promise<void> {
  const faults: Message[] = []
  const fault = (found: Message) => {
    faults.push(found)
    if (faults.length >= maxFaults) throw backupDamaged(folder, faults)
  }
  const installed = sites.filter(({ installedAt }) => installedAt !== null)
  const wanted = new Set(installed.flatMap(({ number }) => [rowsPath(number), filesPath(number)]))
  for (const part of manifest.parts) {
    if (!wanted.delete(part.path)) continue
    if (!(await hasDigest(join(folder, part.path), part))) fault(message('partChanged', { path: part.path }))
  }
  for (const path of wanted) fault(message('partUnnamed', { path }))
  // The entries of a changed list mean nothing.
  if (faults.length > 0) throw backupDamaged(folder, faults)

  for (const site of installed) {
    await checkRows(folder, site, fault)
    for await (const copy of linesOf<BytesCopy>(folder, filesPath(site.number))) {
      const path = bytesPath(site.number, copy.key)
      if (!(await hasDigest(join(folder, path), copy))) fault(message('copyDiffers', { path }))
      onFile(copy.sizeBytes)
    }
  }
  if (faults.length > 0) throw backupDamaged(folder, faults)
}

async function checkRows(folder: string, site: SiteCopy, fault: (found: Message) => void): Promise<void> {
  const counts: Record<string, number> = {}
  for await (const [table] of linesOf<[string]>(folder, rowsPath(site.number)))
    counts[table] = (counts[table] ?? 0) + 1
  const path = rowsPath(site.number)
  for (const [table, copied] of Object.entries(site.rows)) {
    const found = counts[table] ?? 0
    if (found !== copied) fault(message('rowCountDiffers', { path, found, table, copied }))
  }
}
