import { type BrokenRule, broken } from '../../lib/faults.ts'
import { parseAddressList } from '../../lib/net/addresses.ts'

export const maxOrigins = 20
export const maxAddresses = 50
export const longestKeyName = 64

/** Why a text cannot be the name of a key; undefined if it can. */
export function keyNameFault(name: string): BrokenRule | undefined {
  const length = [...name].length
  if (length < 1 || length > longestKeyName)
    return broken('length', { least: 1, most: longestKeyName, length })
  return /\p{Cc}/u.test(name) ? broken('controlCharacters') : undefined
}

/** An origin as browsers send it: scheme, host and port, nothing behind it. */
export function originFault(origin: string): BrokenRule | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const isOrigin = url && url.origin === origin && ['http:', 'https:'].includes(url.protocol)
  return isOrigin ? undefined : broken('origin')
}

export function addressFault(address: string): BrokenRule | undefined {
  try {
    const isOne = !address.includes(',') && !parseAddressList(address).isEmpty
    return isOne ? undefined : broken('addressRange')
  } catch {
    return broken('addressRange')
  }
}

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
