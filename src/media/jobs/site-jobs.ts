import { pruneSessions } from '../../accounts/index.ts'
import {
  type DueTimes,
  type JobContext,
  periodicDueAt,
  type RememberedJob,
  runIntervalMs,
  runPaged,
  type SiteJob,
} from '../../scheduling/index.ts'
import {
  allTotals,
  changingSite,
  lockTotal,
  recountTotals,
  type Site,
  type SiteValues,
  totalNames,
  wrongLabelTotals,
  wrongUserTotals,
} from '../../site/index.ts'
import { expireUploads } from '../resumable/end-upload.ts'
import { indexTexts } from '../search/index-file.ts'
import { addPlaceholders } from './add-placeholders.ts'
import { emptyTrash, expireFiles } from './due-files.ts'
import { passPurgesOn, purgesDueAt } from './pass-purges-on.ts'
import {
  auditDueAt,
  forgetReporters,
  pruneAudit,
  pruneRateLimitLog,
  pruneUsage,
  reportersDueAt,
  usageDueAt,
} from './prune-rows.ts'
import { removeBytes, sweepOrphans } from './remove-bytes.ts'
import { scrubFiles } from './scrub-files.ts'

const dayMs = 24 * 60 * 60_000

/** All jobs of a site, in the order of their run: jobs that write removal records come before `remove-bytes`. */
export const siteJobs: readonly SiteJob[] = [
  { name: 'expire-files', does: 'files expired', dueAt: ({ expiresAt }) => expiresAt, run: expireFiles },
  {
    name: 'empty-trash',
    does: 'files and revisions removed from the trash',
    dueAt: ({ trashEndsAt }) => trashEndsAt,
    run: emptyTrash,
  },
  {
    name: 'expire-uploads',
    does: 'resumable uploads ended or deleted',
    dueAt: ({ uploadEndsAt }) => uploadEndsAt,
    run: expireUploads,
  },
  {
    name: 'index-texts',
    does: 'texts indexed',
    dueAt: ({ textsMissingAt }) => textsMissingAt,
    run: indexTexts,
  },
  {
    name: 'prune-sessions',
    does: 'expired sessions deleted',
    // Once a day is enough.
    dueAt: ({ sessionEndsAt }) => sessionEndsAt && new Date(sessionEndsAt.getTime() + dayMs),
    run: pruneSessions,
  },
  {
    name: 'forget-reporters',
    does: 'addresses of reporters deleted',
    dueAt: reportersDueAt,
    run: forgetReporters,
  },
  { name: 'prune-audit', does: 'rows of the audit log deleted', dueAt: auditDueAt, run: pruneAudit },
  { name: 'prune-usage', does: 'counts of old days deleted', dueAt: usageDueAt, run: pruneUsage },
  {
    name: 'prune-rate-limit-log',
    does: 'old rate-limit hits deleted',
    dueAt: periodically('prune-rate-limit-log'),
    run: pruneRateLimitLog,
  },
  {
    name: 'sweep-orphans',
    does: 'orphans found',
    dueAt: periodically('sweep-orphans'),
    run: sweepOrphans,
  },
  {
    name: 'remove-bytes',
    does: 'stored files removed',
    dueAt: ({ removalAt }) => removalAt,
    run: removeBytes,
  },
  {
    name: 'relay-purges',
    does: 'purges passed on',
    dueAt: purgesDueAt,
    run: passPurgesOn,
  },
  {
    name: 'refresh-stats',
    does: 'totals corrected',
    dueAt: periodically('refresh-stats'),
    run: correctTotals,
  },
  { name: 'scrub-files', does: 'files verified', dueAt: periodically('scrub-files'), run: scrubFiles },
  {
    // The last one, because it takes all the time that there is.
    name: 'add-placeholders',
    does: 'placeholders made',
    dueAt: ({ placeholderMissingAt }) => placeholderMissingAt,
    run: addPlaceholders,
  },
]

function periodically(name: RememberedJob): SiteJob['dueAt'] {
  return (dueTimes, values) => periodicDueAt(name, dueTimes, values)
}

/** The time of a site's next job run; undefined if nothing is scheduled. */
export function nextRunAt(dueTimes: DueTimes, values: SiteValues, now: Date): Date | undefined {
  const times = siteJobs.flatMap((job) => job.dueAt(dueTimes, values) ?? [])
  if (times.length === 0) return undefined
  const lastRunAt = dueTimes.ranAt.get('visit')
  // A last run in the future means that the clock was set back.
  const soonest = lastRunAt ? Math.min(lastRunAt.getTime(), now.getTime()) + runIntervalMs(values) : 0
  return new Date(Math.max(soonest, Math.min(...times.map((time) => time.getTime()))))
}

/** Counts the rows anew. Every change updates the totals in its transaction, so a difference is a defect. */
async function correctTotals(site: Site, context: JobContext): Promise<number> {
  let wrong: string[] = []
  await runPaged(site, context, {
    name: 'refresh-stats',
    async page() {
      wrong = await context.fencedTransaction(async (db) => {
        // A commit between two reads would look like a defect.
        await lockTotal(db, 'files')
        const stored = await allTotals(db)
        const ofUsers = await wrongUserTotals(db)
        const ofLabels = await wrongLabelTotals(db)
        const counted = await recountTotals(changingSite({ ...site, db }))
        return [
          ...totalNames
            .filter((name) => stored[name] !== counted[name])
            .map((name) => `${name}: ${stored[name]}, counted ${counted[name]}`),
          ...ofUsers.map(
            ({ userId, stored, counted }) =>
              `user ${userId}: ${stored.files} files and ${stored.storageUsed} bytes, counted ${counted.files} and ${counted.storageUsed}`,
          ),
          ...ofLabels.map(({ kind, label, files }) => `${kind} ${label}: ${-files} files too many`),
        ]
      })
      return undefined
    },
  })
  if (wrong.length > 0) context.warn('Wrong totals were corrected', { wrong })
  return wrong.length
}
