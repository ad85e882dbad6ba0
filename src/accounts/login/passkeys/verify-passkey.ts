import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { inTransaction } from '../../../db/index.ts'
import type { ChangingSite, Site } from '../../../site/index.ts'
import { passkeyRefused } from '../errors.ts'
import { newChallenge, openChallenge, useChallenge } from './challenge.ts'
import { findPasskey, updatePasskeyUse, type VerifiablePasskey } from './passkeys-table.ts'
import { webauthn } from './webauthn.ts'

export interface RequestOptions {
  options: PublicKeyCredentialRequestOptionsJSON
  /** Comes back with the answer. */
  challenge: string
}

/** What a browser needs to ask for a passkey. It names none: the person chooses among those of this host name. */
export async function passkeyRequest(site: Site, key: Uint8Array): Promise<RequestOptions> {
  const { bytes, sealed } = newChallenge(site, key, 'log-in')
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: site.hostname,
    challenge: bytes,
    userVerification: 'required',
  })
  return { options, challenge: sealed }
}

export interface PasskeyAnswer {
  /** What the browser has written, as JSON. */
  response: string
  /** Sealed, as it was handed out. */
  challenge: string
  /** Opens the challenge. */
  key: Uint8Array
  /** Of the pages of the site: a passkey that was asked for elsewhere is refused. */
  origin: string
}

/** The user of a passkey. Wrong ones are not counted: none can be guessed, and so no other person locks its user out. */
export async function userOfPasskey(site: ChangingSite, answer: PasskeyAnswer): Promise<string> {
  const challenge = openChallenge(site, { key: answer.key, sealed: answer.challenge, purpose: 'log-in' })
  const response = readAnswer<AuthenticationResponseJSON>(answer.response)
  const passkey = await findPasskey(site.db, response.id)
  if (!passkey) throw passkeyRefused('There is no such passkey.')
  const counter = await verifiedCounter(site, { passkey, response, origin: answer.origin, ...challenge })
  const at = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await useChallenge(db, challenge, at)
    if (!(await updatePasskeyUse(db, passkey.id, { from: passkey.counter, counter, at })))
      throw passkeyRefused('The passkey was used elsewhere meanwhile.')
  })
  return passkey.userId
}

interface Verification {
  passkey: VerifiablePasskey
  response: AuthenticationResponseJSON
  challenge: string
  origin: string
}

async function verifiedCounter(
  site: Site,
  { passkey, response, challenge, origin }: Verification,
): Promise<number> {
  const { credentialId, publicKey, counter, userId } = passkey
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: site.hostname,
    credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw passkeyRefused(error)
  })
  // Not part of what is signed, so it may be anything.
  const userHandle: unknown = response.response.userHandle ?? undefined
  const isOwner =
    userHandle === undefined || Buffer.from(String(userHandle), 'base64url').toString() === userId
  if (!verified.verified || !isOwner) throw passkeyRefused('The signature is not valid.')
  return verified.authenticationInfo.newCounter
}

/** The parts that are read before the library checks the rest. */
export function readAnswer<Answer extends { id: string; response: object }>(text: string): Answer {
  const answer = parsed(text) as Partial<Answer> | undefined
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const isReadable = typeof answer?.id === 'string' && /^[\w-]{1,1400}$/.test(answer.id)
  if (!isReadable || typeof answer?.response !== 'object' || answer.response === null)
    throw passkeyRefused('The answer is not what a browser writes.')
  return answer as Answer
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw passkeyRefused(error)
  }
}
