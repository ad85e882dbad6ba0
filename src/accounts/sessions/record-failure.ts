import { recordEvent, type Site } from '../../site/index.ts'
import { findUser } from '../users/users-table.ts'

/** Records a wrong password or code in the audit log. The name that was given is not recorded: it may be a password. */
export async function recordFailure(site: Site, account: string): Promise<void> {
  const user = await findUser(site.db, account)
  await recordEvent(site, { verb: 'session.failed', target: user?.id ?? '' })
}
