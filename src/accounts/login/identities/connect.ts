import type { Configuration } from 'openid-client'
import { inTransaction } from '../../../db/index.ts'
import { isRecent } from '../../../lib/clock.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import { transliterate } from '../../../lib/transliterate.ts'
import type { ChangingSite, Site } from '../../../site/index.ts'
import { emailFault } from '../../users/account-rules.ts'
import { asProvider, openidClient, openProvider, type ProviderAccess } from '../providers/provider-client.ts'
import {
  connectEnded,
  logInTooOld,
  noSuchProvider,
  providerMistaken,
  providerRefused,
} from '../providers/provider-errors.ts'
import { findProvider, type Provider } from '../providers/providers-table.ts'
import { insertUsedToken } from '../used-tokens-table.ts'

/** What the browser keeps while its person is at the provider. */
interface Flow {
  state: string
  nonce: string
  verifier: string
  /** Where the log-in leads. */
  to: string
  /** Of the throttle. */
  countedAs: string
}

/** Bound to the provider: the answer of one is refused at the address of another. */
const flowOf = (provider: string) => `log-in by the provider ${provider}`

interface Begin extends ProviderAccess {
  provider: string
  /** Where the provider sends the browser back to. */
  backTo: string
  to: string
  countedAs: string
  /** Whether the person is to prove who it is, should the provider know it already. */
  isProof: boolean
}

export interface BegunFlow {
  /** Of the provider's log-in. */
  address: string
  /** For a cookie. */
  sealed: string
}

/** Begins a log-in: authorisation code with PKCE, state and nonce. */
export async function beginConnect(site: Site, begin: Begin): Promise<BegunFlow> {
  const provider = await requireEnabled(site, begin.provider)
  const configuration = await openProvider(provider, begin)
  const client = await openidClient()
  const [state, nonce, verifier] = [
    client.randomState(),
    client.randomNonce(),
    client.randomPKCECodeVerifier(),
  ]
  const flow: Flow = { state, nonce, verifier, to: begin.to, countedAs: begin.countedAs }
  const parameters = {
    redirect_uri: begin.backTo,
    scope: provider.scopes,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(begin.isProof && knowsPrompt(configuration) && { prompt: 'login' }),
    ...(tellsLogInTime(configuration) && {
      max_age: String(begin.isProof ? proofSeconds : longestLogInSeconds),
    }),
  }
  const address = await asProvider((async () => client.buildAuthorizationUrl(configuration, parameters))())
  if (!/^https?:$/.test(address.protocol))
    throw providerMistaken('The address of the log-in is not one of the web.')
  return { address: address.href, sealed: sealStep(site, begin.key, flowOf(provider.name), flow) }
}

/** Providers that do not say so may refuse the parameter. */
const knowsPrompt = (configuration: Configuration): boolean => {
  const { prompt_values_supported: values } = configuration.serverMetadata()
  return Array.isArray(values) && values.includes('login')
}

/**
 * Whether the ID token says when the person has logged in (`auth_time`). It must for a request with `max_age`: OpenID Connect
 * Core, section 3.1.2.1. The browser may leave the parameter out, so the claim is missed in the answer, not in the request.
 */
const tellsLogInTime = (configuration: Configuration): boolean => {
  const { claims_supported: names } = configuration.serverMetadata()
  return Array.isArray(names) && names.includes('auth_time')
}

const proofSeconds = 600
// A log-in may be any time ago. A number has to be given, so that the provider reports the time.
const longestLogInSeconds = 365 * 86_400

interface Return {
  provider: string
  key: Uint8Array
  /** Of the cookie. */
  sealed: string
  /** As the provider sent it. */
  state: string
}

/** A log-in that came back, which is good once. */
export async function takeFlow(site: ChangingSite, given: Return): Promise<Flow> {
  const flow = openStep<Flow>(site, given.key, flowOf(given.provider), given.sealed)
  if (given.state !== flow.state) throw connectEnded()
  const used = { token: flow.state, now: site.clock.now(), expiresAt: endOfStep(site) }
  const isFirst = await inTransaction(site.db, (db) => insertUsedToken(db, used))
  if (!isFirst) throw connectEnded()
  return flow
}

interface Exchange extends ProviderAccess {
  provider: string
  flow: Flow
  /** The address that the provider sent the browser back to, with its answer. */
  returned: URL
}

/** Who has logged in at the provider, and when. */
export async function finishConnect(
  site: Site,
  { provider: name, flow, returned, ...access }: Exchange,
): Promise<ProviderAccount> {
  const configuration = await openProvider(await requireEnabled(site, name), access)
  const claims = await claimsOf(configuration, flow, returned)
  return readAccount(name, claims, { now: site.clock.now(), tellsLogInTime: tellsLogInTime(configuration) })
}

/** Refuses an account as a proof whose person has logged in at the provider longer than ten minutes ago. */
export function checkProofBy(site: Site, { loggedInAt }: ProviderAccount): void {
  if (!isRecent(loggedInAt, (proofSeconds + toleratedSeconds) * 1_000, site.clock.now())) throw logInTooOld()
}

// For the way back, and clocks that differ; as much as for the other times of the token.
const toleratedSeconds = 30

function claimsOf(configuration: Configuration, flow: Flow, returned: URL): Promise<Claims> {
  const checks = {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  }
  return asProvider(
    (async () => {
      const { authorizationCodeGrant, AuthorizationResponseError, fetchUserInfo } = await openidClient()
      const tokens = await authorizationCodeGrant(configuration, returned, checks).catch((error: unknown) => {
        throw error instanceof AuthorizationResponseError ? providerRefused(error) : error
      })
      const { auth_time } = tokens.claims() ?? {}
      const claims: Claims = { ...tokens.claims(), sub: tokens.claims()?.sub ?? '' }
      const isComplete = claims.email !== undefined && claims.email_verified !== undefined
      if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims
      // Many keep the e-mail address out of the ID token. The subject must be the one of the token.
      return {
        ...claims,
        ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)),
        auth_time,
      }
    })(),
  )
}

/** A provider that is switched off is as good as none. */
export async function requireEnabled(site: Pick<Site, 'db'>, name: string): Promise<Provider> {
  const provider = await findProvider(site.db, name)
  if (!provider?.isEnabled) throw noSuchProvider(name)
  return provider
}

/** Claims are untrusted; only `sub` identifies the user. */
type Claims = Readonly<Record<string, unknown>> & { sub: string }

/** An account at a provider whose person is in front of the browser. */
export interface ProviderAccount {
  provider: string
  subject: string
  /** Only if the provider has verified it. */
  email: string | undefined
  /** What the person knows the account by. */
  label: string
  /** A user name to begin with, of allowed characters; it may be taken. */
  suggestedName: string
  /** When the person has logged in there, in milliseconds; 0 if the provider should have reported it and did not. */
  loggedInAt: number
}

interface Reading {
  now: Date
  tellsLogInTime: boolean
}

// A cookie has room for so much.
const longestLabel = 80

function readAccount(provider: string, claims: Claims, reading: Reading): ProviderAccount {
  const { sub: subject } = claims
  // OpenID Connect Core, section 2: at most 255 characters of ASCII.
  if (!/^[ -~]{1,255}$/.test(subject)) throw providerMistaken('The subject is not one of OpenID Connect.')
  const email = textOf(claims.email)
  const isVerified = claims.email_verified === true && emailFault(email) === undefined
  const names = [claims.preferred_username, claims.nickname, email.split('@', 1).join(), claims.name]
  return {
    provider,
    subject,
    email: isVerified ? email : undefined,
    label: [...(email || names.map(textOf).find((name) => name !== '') || subject)]
      .slice(0, longestLabel)
      .join(''),
    suggestedName: names.map(userNameOf).find((name) => name !== '') ?? '',
    loggedInAt: logInTimeOf(claims.auth_time, reading),
  }
}

/** If the provider never reports it, the log-in counts as one of now: its users may have no other proof. */
function logInTimeOf(claim: unknown, { now, tellsLogInTime }: Reading): number {
  if (typeof claim === 'number' && claim >= 0) return Math.min(claim * 1_000, now.getTime())
  return tellsLogInTime || claim !== undefined ? 0 : now.getTime()
}

/** PostgreSQL refuses some control characters, such as NUL, in a text. */
const textOf = (claim: unknown): string =>
  typeof claim === 'string' ? claim.slice(0, 1_000).replaceAll(/\p{C}/gu, '').trim() : ''

function userNameOf(claim: unknown): string {
  const name = transliterate(textOf(claim).split('@', 1).join())
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, 32)
  return name.length < 3 ? '' : name
}

/** Bound to the provider, so that it is taken at no other one's addresses. */
const pendingOf = (provider: string) => `account of the provider ${provider}`

/** For a cookie, while the person chooses what becomes of the account. */
export const sealAccount = (site: Site, key: Uint8Array, account: ProviderAccount & { to: string }): string =>
  sealStep(site, key, pendingOf(account.provider), account)

export const openAccount = (
  site: Site,
  { key, provider, sealed }: { key: Uint8Array; provider: string; sealed: string },
): ProviderAccount & { to: string } => openStep(site, key, pendingOf(provider), sealed)

/** How long a person has at the provider, and to choose what follows. */
export const connectSeconds = 600

/** For a cookie: what a log-in by a provider carries from step to step, for ten minutes. */
function sealStep(site: Site, key: Uint8Array, boundTo: string, content: object): string {
  const endsAt = endOfStep(site)
  return sealText(key, JSON.stringify({ ...content, endsAt: endsAt.getTime() }), boundTo)
}

const endOfStep = (site: Site): Date => new Date(site.clock.now().getTime() + connectSeconds * 1_000)

/** Refuses one that has ended, or was made for something else. */
function openStep<Content extends object>(
  site: Site,
  key: Uint8Array,
  boundTo: string,
  sealed: string,
): Content {
  const text = openSealedText(key, sealed, boundTo)
  if (text === undefined) throw connectEnded()
  const { endsAt, ...content } = JSON.parse(text) as Content & { endsAt: number }
  const ms = connectSeconds * 1_000
  if (!isRecent(endsAt - ms, ms, site.clock.now())) throw connectEnded()
  return content as unknown as Content
}
