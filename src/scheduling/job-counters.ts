/** Counts the job runs of this process, for the metrics. */
export interface JobCounters {
  /** By the job's name: how often it ran, how often it failed, and how long it took. */
  readonly jobs: Map<string, { runs: number; failures: number; seconds: number }>
}

export const newJobCounters = (): JobCounters => ({ jobs: new Map() })

export function countJob(
  counters: JobCounters,
  name: string,
  ran: { isFailed: boolean; seconds: number },
): void {
  const before = counters.jobs.get(name) ?? { runs: 0, failures: 0, seconds: 0 }
  counters.jobs.set(name, {
    runs: before.runs + 1,
    failures: before.failures + Number(ran.isFailed),
    seconds: before.seconds + ran.seconds,
  })
}
