import { join } from 'node:path'
import type { Control } from '../../control/index.ts'
import { HashThreads } from '../../lib/concurrency/hash-threads.ts'
import { holdBytes } from '../../media/index.ts'
import { tenantNotFound } from '../errors.ts'
import { openSite } from '../open-site.ts'
import { writeAllPendingStatsOf } from '../stats/pending-stats.ts'
import { storedTenant, type TenantWithStats } from '../tenants.ts'
import { formatName, formatVersion } from './archive-format.ts'
import { notExportable } from './errors.ts'
import { Lanes } from './lanes.ts'
import { checkPassphrase } from './secrets.ts'
import { spoolRows } from './spool-rows.ts'
import { openLines } from './spooled-lines.ts'
import { openWorkFolder } from './work-folder.ts'
import { type ArchiveSink, ArchiveWriter, type Written } from './write-archive.ts'
import { writeBytes } from './write-bytes.ts'

export interface ExportOptions {
  id: string
  /** Without it no secret is in the archive. */
  passphrase?: string | undefined
  /** The secret of the installation, from which the keys of its sites are derived. */
  requestSecret: string
  /** The number of the site that was meant, if a tenant of this id may have been made anew since. */
  site?: number
  /** Whether the SHA-256 of the whole archive is wanted, which takes as long as those of its entries. */
  isSummed?: boolean
  /** Gets the bytes that are written, and how many there are by the site's stats. */
  onStep?: ((done: number, total: number) => void) | undefined
}

export type Exported = Written & { hasSecrets: boolean }

/**
 * Writes a tenant as it is at one moment, while it is in use. The rows of that moment are spooled, because an entry begins
 * with its length; the bytes that they name stay until the end.
 */
export async function exportTenant(
  control: Control,
  sink: ArchiveSink,
  options: ExportOptions,
): Promise<Exported> {
  const { id, passphrase } = options
  if (passphrase !== undefined) checkPassphrase(passphrase)
  const tenant = await storedTenant(control, control.store.control, id)
  if (options.site !== undefined && tenant.site !== options.site) throw tenantNotFound()
  if (!tenant.isInstalled) throw notExportable(id)
  // Other servers' views of the last seconds are not in the archive.
  await writeAllPendingStatsOf(control, tenant.site)
  await using folder = await openWorkFolder(control.backends.dataDir)
  return await exportWith(control, sink, { ...options, tenant, spool: folder.path })
}

interface Exporting extends ExportOptions {
  tenant: TenantWithStats
  spool: string
}

async function exportWith(control: Control, sink: ArchiveSink, exporting: Exporting): Promise<Exported> {
  const { tenant, passphrase, spool, onStep, isSummed = false } = exporting
  await using site = await openSite(control, tenant)
  await using _held = await holdBytes(site)
  const at = control.clock.now()
  const { tables, keys } = await spoolRows(control, exporting)
  await using list = await openLines(join(spool, 'manifest'))
  const total = tenant.stats.storageUsed
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    onStep?.(done, Math.max(done, total))
  }
  onBytes(0)
  await using lanes = new Lanes()
  // After a failure these end first, and what waits for them has ended with them.
  await using threads = new HashThreads()
  const writer = new ArchiveWriter(sink, { list, at, threads, isSummed, onBytes })
  for (const [name, file] of tables) await writer.addFile(name, file)
  await writeBytes(writer, { keys, storage: site.storage, threads, lanes })
  const written = await writer.finish({
    format: formatName,
    version: formatVersion,
    id: tenant.id,
    hostname: tenant.hostname,
    created_at: at.toISOString(),
    has_secrets: passphrase !== undefined,
  })
  return { ...written, hasSecrets: passphrase !== undefined }
}
