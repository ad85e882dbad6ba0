import { findControlAuditFault } from '../../control/index.ts'
import { refuseUnreadable } from '../find-audit-fault.ts'
import type { Installation } from './check.ts'
import type { ReportFinding } from './finding.ts'

/** A broken chain cannot be repaired: every later hash follows from what was written. */
export async function checkControlAudit({ app }: Installation, report: ReportFinding): Promise<void> {
  const broken = await findControlAuditFault(app.control).catch(refuseUnreadable)
  if (!broken) return
  const says = `The audit log of the installation was changed outside of Terrace: ${broken.fault}.`
  const todo =
    'Compare it with a backup, and find out who can write to the database. If you put the database back ' +
    'yourself, accept the log: terrace audit:sign'
  await report({ isFault: true, key: `audit ${broken.sequence}`, says, todo })
}
