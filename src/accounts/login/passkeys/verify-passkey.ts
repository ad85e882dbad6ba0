import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { isRecent } from '../../../lib/clock.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import type { ChangingSite, Site } from '../../../site/index.ts'
import { passkeyRefused } from '../errors.ts'
import { insertUsedToken } from '../used-tokens-table.ts'
import { findPasskey, updatePasskeyUse, type VerifiablePasskey } from './passkeys-table.ts'

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

/** A challenge that a passkey signs. `sealed` comes back with the answer, so that no row is kept for pages that are only looked at. */
interface Challenge {
  bytes: Uint8Array<ArrayBuffer>
  sealed: string
}

/** `log-in` also proves a session; a `creation` belongs to one user. */
type ChallengePurpose = 'log-in' | `creation by ${string}`

const challengeMs = 300_000

export function newChallenge(site: Site, key: Uint8Array, purpose: ChallengePurpose): Challenge {
  const bytes = new Uint8Array(randomBytes(32))
  const endsAt = site.clock.now().getTime() + challengeMs
  const content = JSON.stringify({ challenge: Buffer.from(bytes).toString('base64url'), endsAt })
  return { bytes, sealed: sealText(key, content, ownerOf(purpose)) }
}

interface OpenedChallenge {
  /** In Base64url. */
  challenge: string
  endsAt: Date
}

/** Refuses one that has ended, or was made for something else. */
export function openChallenge(
  site: Site,
  { key, sealed, purpose }: { key: Uint8Array; sealed: string; purpose: ChallengePurpose },
): OpenedChallenge {
  const text = openSealedText(key, sealed, ownerOf(purpose))
  if (text === undefined) throw passkeyRefused('The challenge is not one of this site.')
  const { challenge, endsAt } = JSON.parse(text) as { challenge: string; endsAt: number }
  if (!isRecent(endsAt - challengeMs, challengeMs, site.clock.now()))
    throw passkeyRefused('The challenge has ended.')
  return { challenge, endsAt: new Date(endsAt) }
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

const ownerOf = (purpose: ChallengePurpose) => `passkey challenge for ${purpose}`

/** Loaded for the first passkey: its 250 modules take 150 ms of CPU, which every start would pay for. */
export const webauthn = () => import('@simplewebauthn/server')
