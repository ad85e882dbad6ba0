/** What this process has done without a request, for those who watch it. */
export interface JobTally {
  /** By the job's name: how often it ran, how often it failed, and how long it took. */
  readonly jobs: Map<string, { runs: number; failures: number; seconds: number }>
}

export const newJobTally = (): JobTally => ({ jobs: new Map() })

export function countJob(tally: JobTally, name: string, ran: { isFailed: boolean; seconds: number }): void {
  const before = tally.jobs.get(name) ?? { runs: 0, failures: 0, seconds: 0 }
  tally.jobs.set(name, {
    runs: before.runs + 1,
    failures: before.failures + Number(ran.isFailed),
    seconds: before.seconds + ran.seconds,
  })
}
