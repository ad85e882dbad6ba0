import { Refusal } from '../lib/refusal.ts'

type CountedName =
  | ('uploads' | 'uploadBytes' | 'downloads' | 'trafficBytes' | 'views')
  | ('transforms' | 'transformHits' | 'transformFallbacks')
  | ('apiRequests' | 'serverErrors')

/** What this process has done on all its sites since it started; metrics show it. */
export interface ProcessCounters {
  readonly done: Record<CountedName, number>
  /** Requests that a limit or quota refused, by its name. */
  readonly quotaRefusals: Map<string, number>
}

export const newProcessCounters = (): ProcessCounters => ({
  done: {
    uploads: 0,
    uploadBytes: 0,
    downloads: 0,
    trafficBytes: 0,
    views: 0,
    transforms: 0,
    transformHits: 0,
    transformFallbacks: 0,
    apiRequests: 0,
    serverErrors: 0,
  },
  quotaRefusals: new Map(),
})

/** For an upload or a replacement that was committed. */
export function countUpload({ done }: ProcessCounters, bytes: number): void {
  done.uploads += 1
  done.uploadBytes += bytes
}

/** Counts an error that is the refusal of a limit or quota. */
export function countQuotaRefusal({ quotaRefusals }: ProcessCounters, error: unknown): void {
  if (!(error instanceof Refusal) || !['limit-reached', 'quota-reached'].includes(error.code)) return
  const name = String(error.params.name)
  quotaRefusals.set(name, (quotaRefusals.get(name) ?? 0) + 1)
}
