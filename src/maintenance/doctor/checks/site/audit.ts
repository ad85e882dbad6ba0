import { findAuditFault } from '../../../find-audit-fault.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** A broken chain cannot be repaired: every later hash follows from what was written. */
export async function checkAudit(inspected: InspectedSite, note: Note): Promise<void> {
  const broken = await findAuditFault(inspected)
  if (!broken) return
  const tenant = nameOfSite(inspected.record)
  const says = `The audit log was changed outside of Terrace: ${broken.fault}.`
  const todo =
    'Compare it with a backup, and find out who can write to the database. If you put the database back ' +
    `yourself, accept the log: terrace site --tenant ${tenant} audit:sign`
  await note({ isFault: true, tenant, key: `audit ${broken.sequence}`, says, todo })
}
