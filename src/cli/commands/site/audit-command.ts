import { acceptAudit } from '../../../site/index.ts'
import type { Session } from '../../session.ts'
import { changeOnSite } from './on-site.ts'

export async function signAudit(session: Session, { tenant }: { tenant: string }): Promise<void> {
  await changeOnSite(session, tenant, acceptAudit)
  session.answer({ tenant, signed: true }, () => `Accepted and signed the current audit log of ${tenant}.`)
}
