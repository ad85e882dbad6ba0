import { troubledJobs } from '../../../../scheduling/index.ts'
import { dayMs, type Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

const hourMs = 3_600_000

export async function checkJobs({ app: { control } }: Installation, note: Note): Promise<void> {
  const now = control.clock.now().getTime()
  const times = { dueBefore: new Date(now - dayMs), leasedBefore: new Date(now - hourMs) }
  for (const job of await troubledJobs(control.store.control, times)) {
    const about = { tenant: job.tenantId ?? undefined, key: `site ${job.site}` }
    const todo = `Run its jobs by hand: tenants jobs:worker${job.tenantId ? ` --id ${job.tenantId}` : ''} --once`
    const isLate = job.dueAt !== null && job.dueAt < times.dueBefore.toISOString()
    if (isLate)
      await note({ ...about, isFault: true, says: `Jobs were due at ${job.dueAt} and did not run.`, todo })
    if (job.failures > 0) {
      const says = `Jobs failed ${job.failures} times: ${job.fault ?? 'no reason is stored'}`
      await note({ ...about, isFault: false, says, todo })
    }
    const isAbandoned = job.leasedUntil !== null && job.leasedUntil < times.leasedBefore.toISOString()
    if (isAbandoned && !isLate && job.dueAt !== null && job.dueAt < times.leasedBefore.toISOString()) {
      const says = `A worker had leased it until ${job.leasedUntil} and has not released it; no other worker has leased it since.`
      await note({ ...about, isFault: false, says, todo })
    }
  }
}
