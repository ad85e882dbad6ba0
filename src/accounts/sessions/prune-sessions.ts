import type { JobContext } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { deleteSessionsUntil } from './sessions-table.ts'

/** Deletes expired sessions, which are already refused. */
export const pruneSessions = (site: Site, context: JobContext): Promise<number> =>
  context.fencedTransaction((db) => deleteSessionsUntil(db, site.clock.now()))
