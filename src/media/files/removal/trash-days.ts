import type { Settings } from '../../../site/index.ts'

const dayMs = 24 * 60 * 60_000

/** Without a trash, a deletion is for good, and replaced bytes are not kept. */
export const hasTrash = (settings: Settings): boolean => daysOf(settings) > 0

/** What was put into the trash at this time or before is to be removed. */
export const trashEndsBefore = (settings: Settings, now: Date): Date =>
  // A number of days that reaches beyond the first date keeps everything.
  new Date(Math.max(now.getTime() - daysOf(settings) * dayMs, -62_000_000_000_000))

/** When a file of the trash is removed for good. */
export const trashEndsAt = (settings: Settings, deletedAt: Date): Date =>
  new Date(deletedAt.getTime() + daysOf(settings) * dayMs)

const daysOf = ({ trash_days: days }: Settings) => Number(days)
