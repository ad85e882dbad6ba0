import { type Control, copyControlHead } from '../control/index.ts'
import { withTimeout } from '../lib/concurrency/promises.ts'
import { inParallel, startRepeating } from '../lib/concurrency/repeat.ts'
import { Refusal } from '../lib/refusal.ts'
import { copyHead, installationLog, writeCounts } from '../site/index.ts'
import { siteSilent } from './errors.ts'
import { openSite } from './open-site.ts'
import { readTenant } from './tenants.ts'
import { findTenantIdOfSite } from './tenants-table.ts'

/** A request must not wait for a second disk: heads are copied soon after the commit, and each of them once a round. */
const roundMs = 1_000
/** Counted events are to be in the log within a minute: this, a round, and the time of the write. */
const countMs = 45_000
const maxParallelSites = 8
/** A site whose database does not answer in time is skipped, and retried in the next round. */
const patienceMs = 5_000
/** The whole shutdown of a process may take 30 seconds. */
const shutdownMs = 8_000

interface OnFault {
  notCounted(fault: unknown, site?: number): void
  notCopied(fault: unknown, site?: number): void
}

/** Writes counted events, and copies the signed heads of audit logs out of the database, every second and on disposal. */
export function startAuditWriting(control: Control, onFault: OnFault): AsyncDisposable {
  let oldestMs = countMs
  void control.sites.auditLogs.removeDrafts().catch((fault) => onFault.notCopied(fault))
  const repeating = startRepeating(roundMs, async () => {
    await writeDueCounts(control, oldestMs, onFault)
    await copyHeads(control, onFault)
  })
  return {
    async [Symbol.asyncDispose]() {
      oldestMs = 0
      await withTimeout(shutdownMs, repeating.stop(), siteSilent).catch((fault) => onFault.notCopied(fault))
    },
  }
}

async function writeDueCounts(control: Control, olderThanMs: number, onFault: OnFault): Promise<void> {
  await inParallel(maxParallelSites, control.sites.auditLogs.countedSites(olderThanMs), (number) =>
    withTimeout(patienceMs, writeCountsOf(control, number), siteSilent).catch((fault) =>
      onFault.notCounted(fault, number),
    ),
  )
}

async function writeCountsOf(control: Control, number: number): Promise<void> {
  const { auditLogs } = control.sites
  const counts = auditLogs.takeCounts(number)
  try {
    const id = await findTenantIdOfSite(control.store.control, number)
    if (id === undefined) return
    await using site = await openSite(control, await readTenant(control, id))
    await writeCounts(site, counts)
  } catch (error) {
    auditLogs.giveBack(number, counts)
    throw error
  }
}

async function copyHeads(control: Control, onFault: OnFault): Promise<void> {
  const { auditLogs } = control.sites
  await inParallel(maxParallelSites, auditLogs.dueSites(), (number) =>
    withTimeout(patienceMs, copyHeadOf(control, number), siteSilent).catch((fault) => {
      if (auditLogs.failed(number)) onFault.notCopied(fault, number)
    }),
  )
}

async function copyHeadOf(control: Control, number: number): Promise<void> {
  const { auditLogs } = control.sites
  if (number === installationLog) return auditLogs.copied(number, await copyControlHead(control))
  const id = await findTenantIdOfSite(control.store.control, number)
  if (id === undefined) return auditLogs.copied(number, Number.POSITIVE_INFINITY)
  try {
    await using site = await openSite(control, await readTenant(control, id))
    auditLogs.copied(number, await copyHead(site))
  } catch (error) {
    // It is being installed: its rows are not committed yet.
    if (error instanceof Refusal && error.code === 'not-installed') return auditLogs.copied(number, 0)
    throw error
  }
}
