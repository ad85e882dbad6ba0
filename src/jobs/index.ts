export { doJobs, type JobsOptions } from './run.ts'
export { prepareInstallation, prepareJobs, startJobs, startMachineJobs } from './start.ts'
export { timetable } from './timetable.ts'
