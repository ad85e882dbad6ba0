import { hash, timingSafeEqual } from 'node:crypto'
import { parseAddressList } from '../../lib/net/addresses.ts'
import type { Site } from '../../site/index.ts'
import { addressNotAllowed, originNotAllowed } from '../errors.ts'
import type { KeyLimits } from './key-rules.ts'
import { findUserOfKey, type KeyOwner } from './user-keys-table.ts'

/** Where a key is sent from. */
export interface KeySender {
  origin: string | undefined
  address: string
}

const userKeyForm = /^trc_([A-Za-z0-9]{1,32})_[A-Za-z0-9]{20,100}$/
const dummyHash = hash('sha256', 'nobody', 'hex')

/** The owner of a user's key; undefined if the key is unknown, wrong or expired, or its user is banned. */
export async function verifyUserKey(site: Site, key: string): Promise<KeyOwner | undefined> {
  const now = site.clock.now()
  const [, id] = userKeyForm.exec(key) ?? []
  const owner = id === undefined ? undefined : await findUserOfKey(site.db, id, now)
  const digest = hash('sha256', key, 'buffer')
  const isCurrent = isHash(digest, owner?.secretHash)
  const isOld = isHash(digest, owner?.oldSecretHash ?? undefined)
  const isAccepted =
    isCurrent || (isOld && owner?.oldSecretEndsAt !== undefined && owner.oldSecretEndsAt > now)
  return isAccepted && owner && !owner.isBanned ? owner : undefined
}

export const isSecret = (key: string, secret: string): boolean =>
  isHash(hash('sha256', key, 'buffer'), hash('sha256', secret, 'hex'))

/** Compares with a hash of nothing if there is none, so that both take the same time. */
function isHash(digest: Buffer, expected = dummyHash): boolean {
  const isSame = timingSafeEqual(digest, Buffer.from(expected, 'hex'))
  return isSame && expected !== dummyHash
}

/** Refuses a key that is sent from an origin or an address that it does not allow. */
export function checkSender(
  { allowedOrigins, allowedAddresses }: KeyLimits,
  { origin, address }: KeySender,
): void {
  if (allowedOrigins.length > 0 && !(origin && allowedOrigins.includes(origin))) throw originNotAllowed()
  if (allowedAddresses.length === 0) return
  if (!parseAddressList(allowedAddresses.join()).has(address)) throw addressNotAllowed()
}
