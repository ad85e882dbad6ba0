import { inTransaction } from '../../db/index.ts'
import { type AuditedSite, recordChange } from './record-change.ts'
import { signAnew } from './sign-head.ts'

/** Accepts the audit log as it is, for an operator who has looked at it. The log says that it was accepted. */
export async function acceptAudit(site: AuditedSite): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await signAnew({ ...site, db })
    await recordChange({ ...site, db }, { verb: 'audit.signed', target: '' })
  })
  await site.auditLog.removeCopy()
}
