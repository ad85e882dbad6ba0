import type { Landmarks } from './landmarks-table.ts'
import type { Shift } from './shift.ts'
import type { Site } from './site.ts'
import type { SiteValues } from './values.ts'

/** Something that happens on a site without a request. It may run twice and may be stopped half-way. */
export interface SiteJob {
  readonly name: string
  /** In words, for those who read what was done. */
  readonly does: string
  /** When there is something to do; nothing when there never is, as the site stands. */
  dueAt(landmarks: Landmarks, values: SiteValues): Date | undefined
  /** Does as much as the shift has time for, and tells how many things it did. */
  run(site: Site, shift: Shift): Promise<number>
}

/** At most these at a time in one transaction, so that nobody waits long behind a job. */
export const batchSize = 100
