import type { Site } from '../../../site/index.ts'
import { findPasswordHash } from '../../users/users-table.ts'
import { passkeysAt } from '../passkeys/passkeys-table.ts'
import { allProviders } from '../providers/providers-table.ts'
import { identitiesOf } from './identities-table.ts'

/** Whether the user can log in without this passkey or connected account. */
export async function hasOtherLoginMethod(site: Site, userId: string, withoutId: string): Promise<boolean> {
  if ((await findPasswordHash(site.db, userId)) !== '') return true
  const passkeys = await passkeysAt(site.db, userId, site.hostname)
  if (passkeys.some((id) => id !== withoutId)) return true
  const enabled = (await allProviders(site.db)).filter(({ isEnabled }) => isEnabled)
  const identities = await identitiesOf(site.db, userId)
  return identities.some(
    ({ id, providerName }) => id !== withoutId && enabled.some(({ name }) => name === providerName),
  )
}
