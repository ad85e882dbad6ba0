export { damagedFiles } from './scrub-files.ts'
export { nextRunAt, siteJobs } from './site-jobs.ts'
