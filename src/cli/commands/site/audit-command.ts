import { acceptAudit } from '../../../site/index.ts'
import type { Session } from '../../session.ts'
import { changeOnSite } from './on-site.ts'

export async function signAudit(session: Session, { tenant }: { tenant: string }): Promise<void> {
  await changeOnSite(session, tenant, acceptAudit)
  session.answer(
    { tenant, signed: true },
    () => `The audit log of ${tenant} is accepted and signed as it is.`,
  )
}
