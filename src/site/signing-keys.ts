import type { Clock } from '../lib/clock.ts'

/** The keys that sign a site's addresses, if it has others than the one that the installation derives. */
export interface SigningKeys {
  key: Buffer
  /** How often the key was rotated. */
  number: number
  /** Undefined for a key of which the time is not known: it is as old as the site. */
  createdAt: Date | undefined
  /** The key before the last rotation. Addresses that it signed work until then. */
  previous: { key: Buffer; endsAt: Date } | undefined
}

/** The last rotation of a signing key. */
export interface KeyRotation {
  number: number
  /** ISO 8601. */
  createdAt: string
  /** The key in Base64. Undefined if it ended with the rotation. */
  previous?: { key: string; endsAt: string } | undefined
}

/** Signing keys as they are stored, always encrypted. */
export interface StoredSigningKeys {
  /** In Base64. */
  signingKey: string
  keyRotation?: KeyRotation | undefined
}

/** As a location has them: without keys if the installation's derived key signs. */
type Located = { readonly [Name in keyof StoredSigningKeys]?: StoredSigningKeys[Name] | undefined }

interface Signing {
  readonly signingKeys?: SigningKeys | undefined
}

export const rotationOf = ({ keyRotation }: Located): number => keyRotation?.number ?? 0

export function signingKeysOf({ signingKey, keyRotation }: Located): SigningKeys | undefined {
  if (signingKey === undefined) return undefined
  const { number = 0, createdAt, previous } = keyRotation ?? {}
  return {
    key: Buffer.from(signingKey, 'base64'),
    number,
    createdAt: createdAt === undefined ? undefined : new Date(createdAt),
    previous: previous && { key: Buffer.from(previous.key, 'base64'), endsAt: new Date(previous.endsAt) },
  }
}

/** Whether a site was opened with these keys: each rotation has another number. */
export const hasSigningKeys = ({ signingKeys }: Signing, location: Located): boolean =>
  (signingKeys?.number ?? 0) === rotationOf(location)

/** The key before the current one, as long as its addresses work. Judged by the clock at each request. */
export function previousKey({
  signingKeys,
  clock,
}: Signing & { readonly clock: Clock }): SigningKeys['previous'] {
  const previous = signingKeys?.previous
  return previous && previous.endsAt > clock.now() ? previous : undefined
}

const keyBytes = 32

const isKey = (text: unknown): boolean =>
  typeof text === 'string' && Buffer.from(text, 'base64').length === keyBytes

const isTime = (text: unknown): boolean =>
  typeof text === 'string' && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text

/** Whether what an archive has are signing keys. */
export function areSigningKeys({
  signingKey,
  keyRotation,
}: Readonly<Record<keyof StoredSigningKeys, unknown>>): boolean {
  if (!isKey(signingKey)) return false
  if (keyRotation === undefined) return true
  if (typeof keyRotation !== 'object' || keyRotation === null) return false
  const { number, createdAt, previous } = keyRotation as Record<keyof KeyRotation, unknown>
  const isCounted = Number.isSafeInteger(number) && Number(number) > 0 && isTime(createdAt)
  if (previous === undefined) return isCounted
  if (typeof previous !== 'object' || previous === null) return false
  const { key, endsAt } = previous as Record<string, unknown>
  return isCounted && isKey(key) && isTime(endsAt)
}
