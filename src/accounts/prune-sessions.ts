import type { SiteJob } from '../site/index.ts'
import { deleteSessionsUntil } from './sessions-table.ts'

const dayMs = 24 * 60 * 60_000

/** Forgets sessions that have ended; nobody is let in by them before either. Once a day is enough. */
export const pruneSessions: SiteJob = {
  name: 'prune-sessions',
  does: 'ended sessions forgotten',
  dueAt: ({ sessionEndsAt }) => sessionEndsAt && new Date(sessionEndsAt.getTime() + dayMs),
  run: (site, shift) => shift.change((db) => deleteSessionsUntil(db, site.clock.now())),
}
