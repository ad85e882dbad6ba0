import { Refusal } from '../lib/refusal.ts'
import { type BrokenAudit, findAuditConflict, findBrokenAudit } from '../site/index.ts'
import type { SiteSnapshot } from './open-snapshot.ts'

/**
 * Where an audit log is not what was written: by its own rows, and by the copy of its head outside of the database. The copy
 * is compared with the live rows, since it may be younger than the snapshot.
 */
export async function findAuditFault({
  site,
  live,
}: Pick<SiteSnapshot, 'site' | 'live'>): Promise<BrokenAudit | undefined> {
  return (await findBrokenAudit(site)) ?? (await findAuditConflict(live).catch(refuseUnreadable))
}

/** The copy is a file, whose error is no finding about the log. */
export function refuseUnreadable(error: NodeJS.ErrnoException): never {
  if (error.code === undefined || error instanceof Refusal) throw error
  throw new Refusal('unavailable', 'head-unreadable', `The signed head cannot be read: ${error.message}.`)
}
