import { parseAddressList } from '../../lib/net/addresses.ts'

export const maxOrigins = 20
export const maxAddresses = 50
export const longestKeyName = 64

/** Why a text cannot be the name of a key; undefined if it can. */
export function keyNameFault(name: string): string | undefined {
  const length = [...name].length
  if (length < 1 || length > longestKeyName)
    return `must be 1 to ${longestKeyName} characters long, not ${length}`
  return /\p{Cc}/u.test(name) ? 'must not contain control characters' : undefined
}

export const originRule = 'must be an origin like https://app.example.com'

/** An origin as browsers send it: scheme, host and port, nothing behind it. */
export function originFault(origin: string): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const isOrigin = url && url.origin === origin && ['http:', 'https:'].includes(url.protocol)
  return isOrigin ? undefined : originRule
}

export function addressFault(address: string): string | undefined {
  try {
    const isOne = !address.includes(',') && !parseAddressList(address).isEmpty
    return isOne ? undefined : rangeRule
  } catch {
    return rangeRule
  }
}

export const rangeRule = 'must be an address or a CIDR range like 192.0.2.0/24'

/** The conditions under which a key counts. */
export interface KeyLimits {
  expiresAt: Date | undefined
  /** Empty if every origin may send it. */
  allowedOrigins: readonly string[]
  /** Empty if every address may send it. */
  allowedAddresses: readonly string[]
}

export const noLimits: KeyLimits = { expiresAt: undefined, allowedOrigins: [], allowedAddresses: [] }

/** Whether each limit of one is a limit of the other too, so that a key cannot shed its limits by making another one. */
export function isWithinLimits(limits: KeyLimits, outer: KeyLimits): boolean {
  const endsInTime =
    outer.expiresAt === undefined || (limits.expiresAt !== undefined && limits.expiresAt <= outer.expiresAt)
  return (
    endsInTime &&
    isPartOf(limits.allowedOrigins, outer.allowedOrigins) &&
    isPartOf(limits.allowedAddresses, outer.allowedAddresses)
  )
}

const isPartOf = (list: readonly string[], outer: readonly string[]) =>
  outer.length === 0 || (list.length > 0 && list.every((entry) => outer.includes(entry)))
