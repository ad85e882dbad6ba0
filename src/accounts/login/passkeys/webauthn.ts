import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { type Clock, isRecent } from '../../../lib/clock.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import { invalidPasskeyName, passkeyRefused, tooManyPasskeys } from '../errors.ts'

/** Where accounts log in with passkeys: a site, or the console of operators. */
export interface RelyingParty {
  /** Browsers bind a passkey to it. */
  readonly hostname: string
  readonly clock: Clock
}

/** What a passkey needs beside its row. */
export interface PasskeyAnswer {
  /** What the browser has written, as JSON. */
  response: string
  /** Sealed, as it was handed out. */
  challenge: string
  /** Opens the challenge. */
  key: Uint8Array
  /** Of the pages of the relying party: a passkey that was asked for elsewhere is refused. */
  origin: string
}

export interface RequestOptions {
  options: PublicKeyCredentialRequestOptionsJSON
  /** Comes back with the answer. */
  challenge: string
}

/** What a browser needs to ask for a passkey. It names none: the person chooses among those of this hostname. */
export async function passkeyRequest(party: RelyingParty, key: Uint8Array): Promise<RequestOptions> {
  const { bytes, sealed } = newChallenge(party, key, 'log-in')
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: party.hostname,
    challenge: bytes,
    userVerification: 'required',
  })
  return { options, challenge: sealed }
}

/** EdDSA, ES256, RS256: every device has one of them. */
const supportedAlgorithmIDs = [-8, -7, -257]

export interface CreationOptions {
  options: PublicKeyCredentialCreationOptionsJSON
  /** Comes back with the answer. */
  challenge: string
}

interface NewPasskeyOwner {
  /** The id of the account. */
  id: string
  username: string
  /** Its passkeys: a device that has one makes no second. */
  known: readonly Pick<StoredCredential, 'credentialId' | 'transports'>[]
}

/** What a browser needs to make a passkey: discoverable, and with user verification, so that it is both steps of a log-in. */
export async function creationOptions(
  party: RelyingParty,
  { id, username, known }: NewPasskeyOwner,
  key: Uint8Array,
): Promise<CreationOptions> {
  checkRoomForPasskey(known)
  const { bytes, sealed } = newChallenge(party, key, `creation by ${id}`)
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: party.hostname,
    rpID: party.hostname,
    userName: username,
    challenge: bytes,
    userID: new Uint8Array(Buffer.from(id)),
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

const mostPasskeys = 20

export function checkRoomForPasskey(known: readonly unknown[]): void {
  if (known.length >= mostPasskeys) throw tooManyPasskeys(mostPasskeys)
}

const longestName = 64

export function checkPasskeyName(name: string): void {
  if (name === '' || [...name].length > longestName) throw invalidPasskeyName(longestName)
}

/** A passkey as the rows have it; key and id in Base64url. */
export interface StoredCredential {
  credentialId: string
  publicKey: string
  counter: number
  transports: readonly string[]
}

/** A passkey that the account has made on its browser, with the challenge that is to be used up with it. */
export async function verifiedCreation(
  party: RelyingParty,
  { response, origin, challenge: sealed, key }: PasskeyAnswer,
  ownerId: string,
): Promise<{ credential: StoredCredential; challenge: OpenedChallenge }> {
  const challenge = openChallenge(party, { key, sealed, purpose: `creation by ${ownerId}` })
  const { verifyRegistrationResponse } = await webauthn()
  const verified = await verifyRegistrationResponse({
    response: readAnswer<RegistrationResponseJSON>(response),
    expectedChallenge: challenge.challenge,
    expectedOrigin: origin,
    expectedRPID: party.hostname,
    requireUserVerification: true,
    supportedAlgorithmIDs,
  }).catch((error: unknown) => {
    throw passkeyRefused(error)
  })
  if (!verified.verified) throw passkeyRefused('The attestation is not valid.')
  const { id, publicKey, counter, transports } = verified.registrationInfo.credential
  const credential = {
    credentialId: id,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: readTransports(transports),
  }
  return { credential, challenge }
}

/** Ways to a passkey, as browsers name them. They are not part of what is signed, so they may be anything. */
const readTransports = (transports: unknown): string[] =>
  Array.isArray(transports)
    ? transports
        .filter((each) => /^[a-z-]{1,20}$/.test(String(each)))
        .map(String)
        .slice(0, 8)
    : []

type KnownPasskey = Pick<StoredCredential, 'credentialId' | 'publicKey' | 'counter'> & { ownerId: string }

/** Checks what a passkey has signed. The new counter and the challenge are to be written in one transaction. */
export async function verifiedUse<Passkey extends KnownPasskey>(
  party: RelyingParty,
  answer: PasskeyAnswer,
  find: (credentialId: string) => Promise<Passkey | undefined>,
): Promise<{ passkey: Passkey; counter: number; challenge: OpenedChallenge }> {
  const challenge = openChallenge(party, { key: answer.key, sealed: answer.challenge, purpose: 'log-in' })
  const response = readAnswer<AuthenticationResponseJSON>(answer.response)
  const passkey = await find(response.id)
  if (!passkey) throw passkeyRefused('There is no such passkey.')
  const { credentialId, publicKey, ownerId } = passkey
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.challenge,
    expectedOrigin: answer.origin,
    expectedRPID: party.hostname,
    credential: {
      id: credentialId,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      counter: passkey.counter,
    },
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw passkeyRefused(error)
  })
  // Not part of what is signed, so it may be anything.
  const userHandle: unknown = response.response.userHandle ?? undefined
  const isOwner =
    userHandle === undefined || Buffer.from(String(userHandle), 'base64url').toString() === ownerId
  if (!verified.verified || !isOwner) throw passkeyRefused('The signature is not valid.')
  return { passkey, counter: verified.authenticationInfo.newCounter, challenge }
}

/** The parts that are read before the library checks the rest. */
function readAnswer<Answer extends { id: string; response: object }>(text: string): Answer {
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

/** `log-in` also proves a session; a `creation` belongs to one account. */
type ChallengePurpose = 'log-in' | `creation by ${string}`

const challengeMs = 300_000

function newChallenge({ clock }: RelyingParty, key: Uint8Array, purpose: ChallengePurpose): Challenge {
  const bytes = new Uint8Array(randomBytes(32))
  const endsAt = clock.now().getTime() + challengeMs
  const content = JSON.stringify({ challenge: Buffer.from(bytes).toString('base64url'), endsAt })
  return { bytes, sealed: sealText(key, content, ownerOf(purpose)) }
}

export interface OpenedChallenge {
  /** In Base64url. */
  challenge: string
  endsAt: Date
}

/** Refuses one that has ended, or was made for something else. */
function openChallenge(
  { clock }: RelyingParty,
  { key, sealed, purpose }: { key: Uint8Array; sealed: string; purpose: ChallengePurpose },
): OpenedChallenge {
  const text = openSealedText(key, sealed, ownerOf(purpose))
  if (text === undefined) throw passkeyRefused('The challenge is not one of this hostname.')
  const { challenge, endsAt } = JSON.parse(text) as { challenge: string; endsAt: number }
  if (!isRecent(endsAt - challengeMs, challengeMs, clock.now()))
    throw passkeyRefused('The challenge has ended.')
  return { challenge, endsAt: new Date(endsAt) }
}

const ownerOf = (purpose: ChallengePurpose) => `passkey challenge for ${purpose}`

/** Loaded for the first passkey: its 250 modules take 150 ms of CPU, which every start would pay for. */
const webauthn = () => import('@simplewebauthn/server')
