import { createHmac } from 'node:crypto'
import { LruMap } from '../lib/lru.ts'
import type { SigningKeys } from './signing-keys.ts'

/**
 * `addresses` signs addresses of bytes, `share tokens` seals tokens of shares, `share passes` signs what opens them,
 * `form tokens` signs what the forms of a session carry, `log-ins` seals secrets of second steps and of providers, and what a
 * log-in carries from step to step, `devices` seals the cookies of devices that users have logged in with. `audit log` signs
 * its head, by a secret of its own, see `auditSecret`.
 */
export type SiteKeyPurpose =
  | ('cursors' | 'answers' | 'addresses' | 'devices' | 'audit log')
  | ('share tokens' | 'share passes' | 'form tokens' | 'kept forms' | 'log-ins')

/** A key for one purpose on one site, from the secret of the installation. */
export function deriveSiteKey(
  secret: string,
  { number, signingKeys }: { readonly number: number; readonly signingKeys?: SigningKeys | undefined },
  purpose: SiteKeyPurpose,
): Buffer {
  if (purpose === 'addresses' && signingKeys) return signingKeys.key
  const name = `${purpose} of site ${number}`
  const known = derived.get(name)
  if (known?.secret === secret) return known.key
  const key = createHmac('sha256', secret).update(name).digest()
  derived.set(name, { secret, key })
  return key
}

/** A list of protected files takes a key for each of its addresses. */
const derived = new LruMap<string, { secret: string; key: Buffer }>(1_000)
