export { installedSite, runJobsNow } from './run-now.ts'
export { type JobRun, runSiteJobs } from './run-site-jobs.ts'
export { schedule } from './schedule.ts'
export {
  prepareInstallation,
  prepareJobs,
  scheduleInstallation,
  startJobs,
  startMachineJobs,
} from './start.ts'
export { doJobs, type JobsOptions } from './worker.ts'
