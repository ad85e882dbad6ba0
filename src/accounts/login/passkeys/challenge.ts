import { randomBytes } from 'node:crypto'
import type { SiteDb } from '../../../db/index.ts'
import { isRecent } from '../../../lib/clock.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import type { Site } from '../../../site/index.ts'
import { passkeyRefused } from '../errors.ts'
import { insertUsedToken } from '../used-tokens-table.ts'

/** A challenge that a passkey signs. `sealed` comes back with the answer, so that no row is kept for pages that are only looked at. */
export interface Challenge {
  bytes: Uint8Array<ArrayBuffer>
  sealed: string
}

/** `log-in` also proves a session; a `creation` belongs to one user. */
export type ChallengePurpose = 'log-in' | `creation by ${string}`

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
