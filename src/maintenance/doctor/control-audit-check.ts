import { findControlAuditFault } from '../../control/index.ts'
import { message } from '../../lib/messages.ts'
import { refuseUnreadable } from '../find-audit-fault.ts'
import type { Installation } from './check.ts'
import { type ReportFinding, sentences } from './finding.ts'

/** A broken chain cannot be repaired: every later hash follows from what was written. */
export async function checkControlAudit({ app }: Installation, report: ReportFinding): Promise<void> {
  const broken = await findControlAuditFault(app.control).catch(refuseUnreadable)
  if (!broken) return
  const says = message('controlAuditChanged', { fault: broken.fault })
  const todo = message('compareAudit', { command: 'terrace audit:sign' })
  await report({ isFault: true, key: `audit ${broken.sequence}`, ...sentences(says, todo) })
}
