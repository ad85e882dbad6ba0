import type { Control } from '../control/index.ts'
import { inParallel, startRounds } from '../lib/concurrency/rounds.ts'
import { within } from '../lib/concurrency/within.ts'
import { Refusal } from '../lib/refusal.ts'
import { copyHead } from '../site/index.ts'
import { siteSilent } from './errors.ts'
import { openSite } from './open-site.ts'
import { readTenant } from './tenants.ts'
import { findTenantIdOfSite } from './tenants-table.ts'

/** A request must not wait for a second disk: heads are copied soon after the commit, and each of them once a round. */
const copyEveryMs = 1_000
const maxParallelSites = 8
/** A site whose database does not answer in time is skipped, and retried in the next round. */
const patienceMs = 5_000
/** The whole shutdown of a process may take 30 seconds. */
const shutdownMs = 5_000

type OnFault = (fault: unknown, site?: number) => void

/** Copies the signed heads of changed audit logs out of the database, every second and once more on disposal. */
export function startHeadCopying(control: Control, onFault: OnFault): AsyncDisposable {
  const rounds = startRounds(copyEveryMs, () => copyHeads(control, onFault))
  return {
    async [Symbol.asyncDispose]() {
      await within(shutdownMs, rounds.stop(), siteSilent).catch(onFault)
    },
  }
}

async function copyHeads(control: Control, onFault: OnFault): Promise<void> {
  const { auditLogs } = control.sites
  await inParallel(maxParallelSites, auditLogs.dueSites(), (number) =>
    within(patienceMs, copyHeadOf(control, number), siteSilent).catch((fault) => {
      if (auditLogs.failed(number)) onFault(fault, number)
    }),
  )
}

async function copyHeadOf(control: Control, number: number): Promise<void> {
  const { auditLogs } = control.sites
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
