export {
  type DueTimes,
  type RememberedJob,
  readDueTimes,
  readSiteState,
} from './due-times-table.ts'
export { findFence } from './fence-table.ts'
export { faultText, type JobContext, leaseLost, openJobContext } from './job-context.ts'
export { countJob, type JobCounters, newJobCounters } from './job-counters.ts'
export { countFailingJobs, type ListedJobs, listJobs, type TenantJobs } from './job-list.ts'
export { deleteJob, findDueAt, insertJob, unhealthyJobs, updateJob, upsertDueAt } from './job-rows-table.ts'
export { upsertJobProgress } from './job-runs-table.ts'
export { holdLease, type TakenLease, takeDueSites } from './leases.ts'
export { countJobs, raiseToken } from './leases-table.ts'
export {
  batchSize,
  periodicDueAt,
  runIntervalMs,
  runPaged,
  type SiteJob,
  scrubbedSince,
} from './paged-job.ts'
