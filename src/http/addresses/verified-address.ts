import type { App } from '../../app.ts'
import { verifiedPairs } from '../../lib/signed-address.ts'
import { previousKey, type Site } from '../../site/index.ts'
import { siteKey } from '../site-key.ts'

interface AskedAddress {
  path: string
  /** Without the question mark. */
  query: string
  /** The `addressVersion` of the file. */
  version: number
}

export interface VerifiedAddress {
  /** The parameters without the signature. */
  pairs: ReadonlyMap<string, string>
  key: Buffer
  /** When the key ends; undefined for the current one. */
  keyEndsAt: Date | undefined
}

/** An address with a valid signature; undefined otherwise. One that was signed with a key that has ended is not valid. */
export function verifiedAddress(app: App, site: Site, asked: AskedAddress): VerifiedAddress | undefined {
  const key = siteKey(app, site, 'addresses')
  const pairs = verifiedPairs(key, asked)
  if (pairs) return { pairs, key, keyEndsAt: undefined }
  const previous = previousKey(site)
  const before = previous && verifiedPairs(previous.key, asked)
  return before && { pairs: before, key: previous.key, keyEndsAt: previous.endsAt }
}

/** Whether a key that was valid once still is. */
export function isValidKey(app: App, site: Site, key: Buffer): boolean {
  return key === siteKey(app, site, 'addresses') || key === previousKey(site)?.key
}

/** For how long the answer to such an address may be cached: its key may end. */
export const keySecondsLeft = ({ clock }: Site, { keyEndsAt }: VerifiedAddress): number =>
  keyEndsAt ? (keyEndsAt.getTime() - clock.now().getTime()) / 1_000 : Number.POSITIVE_INFINITY
