import { inTransaction, type SiteDb } from '../../../db/index.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { passkeyRefused } from '../errors.ts'
import { insertUsedToken } from '../used-tokens-table.ts'
import { findPasskey, updatePasskeyUse } from './passkeys-table.ts'
import { type OpenedChallenge, type PasskeyAnswer, verifiedUse } from './webauthn.ts'

/** The user of a passkey. Wrong ones are not counted: none can be guessed, and so no other person locks its user out. */
export async function userOfPasskey(site: ChangingSite, answer: PasskeyAnswer): Promise<string> {
  const { passkey, counter, challenge } = await verifiedUse(site, answer, async (credentialId) => {
    const found = await findPasskey(site.db, credentialId)
    return found && { ...found, ownerId: found.userId }
  })
  const at = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await useChallenge(db, challenge, at)
    if (!(await updatePasskeyUse(db, passkey.id, { from: passkey.counter, counter, at })))
      throw passkeyRefused('The passkey was used elsewhere meanwhile.')
  })
  return passkey.userId
}

/** Part of the transaction that takes the answer. */
export async function useChallenge(
  db: SiteDb,
  { challenge, endsAt }: OpenedChallenge,
  now: Date,
): Promise<void> {
  if (!(await insertUsedToken(db, { token: challenge, now, expiresAt: endsAt })))
    throw passkeyRefused('The challenge was answered before.')
}
