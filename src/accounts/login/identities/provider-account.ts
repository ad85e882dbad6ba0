import { transliterate } from '../../../lib/transliterate.ts'
import type { Site } from '../../../site/index.ts'
import { emailFault } from '../../users/account-rules.ts'
import { providerMistaken } from '../providers/provider-errors.ts'
import { openStep, sealStep } from './sealed-step.ts'

/** Claims are untrusted; only `sub` identifies the user. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string }

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

export function readAccount(provider: string, claims: Claims, reading: Reading): ProviderAccount {
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
