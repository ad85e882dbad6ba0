import { findBrokenAudit } from '../../../../site/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** A broken chain cannot be repaired: every later hash follows from what was written. */
export async function checkAudit({ record, site }: InspectedSite, note: Note): Promise<void> {
  const broken = await findBrokenAudit(site.db)
  if (!broken) return
  const says = `The audit log was changed outside of Terrace: ${broken.fault}.`
  const todo = 'Compare it with a backup, and find out who can write to the database.'
  await note({ isFault: true, tenant: nameOfSite(record), key: `audit ${broken.sequence}`, says, todo })
}
