import type { DueTimes, JobContext } from '../../scheduling/index.ts'
import { deletePurges, firstPurges, purgingOf, type Site } from '../../site/index.ts'

/** They are passed on right after their commit: only what a process left behind is older. */
const usualMs = 30_000

export const purgesDueAt = ({ purgeAt }: DueTimes): Date | undefined =>
  purgeAt && new Date(purgeAt.getTime() + usualMs)

const atOnce = 500

/** Purges that a process left behind when it was killed, or could not pass on. Deletes them if the installation sends none any more. */
export async function passPurgesOn(site: Site, context: JobContext): Promise<number> {
  const queue = purgingOf(site.db)?.queue
  const ids = (await firstPurges(site.db, atOnce)).map(({ id }) => id)
  if (queue) queue.add(site.number)
  else await context.fencedTransaction((db) => deletePurges(db, ids))
  return ids.length
}
