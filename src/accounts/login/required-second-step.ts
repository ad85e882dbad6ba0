import { readSettings, type Site } from '../../site/index.ts'
import type { Scope } from '../keys/scopes.ts'
import { isStaff } from '../roles.ts'
import type { Role } from '../users/users-table.ts'
import { findTotp } from './totp-table.ts'

/** Whether users of this role need a second step, by the setting `require_second_step`. */
export const isSecondStepRequired = async (site: Site, role: Role): Promise<boolean> =>
  isStaff(role) && (await readSettings(site)).require_second_step === '1'

interface StepCaller {
  userId: string
  role: Role
  sessionId?: string
  scope: Scope
}

/**
 * Whether the caller must set up the second step first: by session, and by a key that may do all that the role may. A passkey
 * is no second step, because the password opens the account without it.
 */
export async function lacksSecondStep(
  site: Site,
  { userId, role, sessionId, scope }: StepCaller,
): Promise<boolean> {
  if (sessionId === undefined && scope !== 'admin') return false
  return (await isSecondStepRequired(site, role)) && !(await findTotp(site.db, userId))
}
