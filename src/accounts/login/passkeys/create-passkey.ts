import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { inTransaction } from '../../../db/index.ts'
import { randomId } from '../../../lib/ids.ts'
import { type ChangingSite, recordChange, type Site } from '../../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../../actor.ts'
import { lockUsers } from '../../users/users.ts'
import { invalidPasskeyName, passkeyNotFound, passkeyRefused, tooManyPasskeys } from '../errors.ts'
import { hasOtherLoginMethod } from '../identities/identities.ts'
import { lastLoginMethod } from '../providers/provider-errors.ts'
import {
  deletePasskey,
  insertPasskey,
  type Passkey,
  passkeysOf,
  updatePasskeyName,
} from './passkeys-table.ts'
import {
  newChallenge,
  openChallenge,
  type PasskeyAnswer,
  readAnswer,
  useChallenge,
  webauthn,
} from './verify-passkey.ts'

/** EdDSA, ES256, RS256: every device has one of them. */
const supportedAlgorithmIDs = [-8, -7, -257]

const mostPasskeys = 20
const longestName = 64

export interface CreationOptions {
  options: PublicKeyCredentialCreationOptionsJSON
  /** Comes back with the answer. */
  challenge: string
}

/** What a browser needs to make a passkey: discoverable, and with user verification, so that it is both steps of a log-in. */
export async function passkeyCreation(
  site: Site,
  { userId }: UserCaller,
  { key, username }: { key: Uint8Array; username: string },
): Promise<CreationOptions> {
  const { bytes, sealed } = newChallenge(site, key, `creation by ${userId}`)
  const known = await passkeysOf(site.db, userId)
  if (known.length >= mostPasskeys) throw tooManyPasskeys(mostPasskeys)
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: site.hostname,
    rpID: site.hostname,
    userName: username,
    challenge: bytes,
    userID: new Uint8Array(Buffer.from(userId)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs,
  })
  return { options, challenge: sealed }
}

/** Keeps a passkey that the browser has made. */
export async function addPasskey(
  site: ChangingSite,
  caller: UserCaller,
  { name, ...answer }: PasskeyAnswer & { name: string },
): Promise<void> {
  const { userId } = caller
  checkName(name)
  const challenge = openChallenge(site, {
    key: answer.key,
    sealed: answer.challenge,
    purpose: `creation by ${userId}`,
  })
  const { credential } = await verifyCreation(site, answer, challenge.challenge)
  const now = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, now)
    await useChallenge(db, challenge, now)
    if ((await passkeysOf(db, userId)).length >= mostPasskeys) throw tooManyPasskeys(mostPasskeys)
    const isNew = await insertPasskey(db, {
      id: randomId(),
      userId,
      name,
      hostname: site.hostname,
      createdAt: now,
      lastUsedAt: undefined,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: readTransports(credential.transports),
    })
    if (!isNew) throw passkeyRefused('The passkey is known already.')
    await recordPasskey({ ...site, db }, userId, { after: { passkey: name } })
  })
}

/** Ways to a passkey, as browsers name them. They are not part of what is signed, so they may be anything. */
const readTransports = (transports: unknown): string[] =>
  Array.isArray(transports)
    ? transports
        .filter((each) => /^[a-z-]{1,20}$/.test(String(each)))
        .map(String)
        .slice(0, 8)
    : []

async function verifyCreation(site: Site, { response, origin }: PasskeyAnswer, expectedChallenge: string) {
  const { verifyRegistrationResponse } = await webauthn()
  const verified = await verifyRegistrationResponse({
    response: readAnswer<RegistrationResponseJSON>(response),
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: site.hostname,
    requireUserVerification: true,
    supportedAlgorithmIDs,
  }).catch((error: unknown) => {
    throw passkeyRefused(error)
  })
  if (!verified.verified) throw passkeyRefused('The attestation is not valid.')
  return verified.registrationInfo
}

export const listOwnPasskeys = (site: Site, { userId }: UserCaller): Promise<Passkey[]> =>
  passkeysOf(site.db, userId)

export async function removeOwnPasskey(site: ChangingSite, caller: UserCaller, id: string): Promise<void> {
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    if (!(await hasOtherLoginMethod({ ...site, db }, caller.userId, id))) throw lastLoginMethod()
    const passkey = (await passkeysOf(db, caller.userId)).find((each) => each.id === id)
    if (!(await deletePasskey(db, caller.userId, id))) throw passkeyNotFound(id)
    await recordPasskey({ ...site, db }, caller.userId, { before: { passkey: passkey?.name } })
  })
}

export async function renameOwnPasskey(
  site: ChangingSite,
  caller: UserCaller,
  { id, name }: { id: string; name: string },
): Promise<void> {
  checkName(name)
  const { userId } = caller
  await inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    const before = (await passkeysOf(db, userId)).find((each) => each.id === id)
    if (!(await updatePasskeyName(db, { id, userId, name }))) throw passkeyNotFound(id)
    await recordPasskey({ ...site, db }, userId, {
      before: { passkey: before?.name },
      after: { passkey: name },
    })
  })
}

const recordPasskey = (
  site: ChangingSite,
  userId: string,
  fields: { before?: { passkey: string | undefined }; after?: { passkey: string } },
) => recordChange(site, { verb: 'user.updated', target: userId, ...fields })

function checkName(name: string): void {
  if (name === '' || [...name].length > longestName) throw invalidPasskeyName(longestName)
}
