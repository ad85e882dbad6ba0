import { parseSize, parseWholeNumber } from '../lib/sizes.ts'
import { parseUrlAllow } from '../lib/url-allow.ts'
import { placeFault, placeValues } from './place.ts'

/** Names and values that an operator sets for a tenant, already merged from all levels. */
export type SiteValues = ReadonlyMap<string, string>

/** What a site may have at most. Nothing or 0 is no limit, except where a default stands. */
export const countLimits = [
  'SERVICE_MAX_USERS',
  'SERVICE_MAX_ADMINS',
  'SERVICE_MAX_MANAGERS',
  'SERVICE_MAX_FILES',
  'SERVICE_MAX_ALBUMS',
  'SERVICE_MAX_TAGS',
  'SERVICE_MAX_TAGS_PER_FILE',
  'SERVICE_MAX_CATEGORIES',
  'SERVICE_MAX_PAGES',
  'SERVICE_MAX_STORAGES',
  'SERVICE_MAX_LOGIN_PROVIDERS',
] as const

export const sizeLimits = ['SERVICE_MAX_STORAGE', 'SERVICE_MAX_UPLOAD_SIZE', 'SERVICE_MAX_PIXELS'] as const

export const toggles = [
  'SERVICE_ENABLE_API_GUEST',
  'SERVICE_ENABLE_API_USER',
  'SERVICE_ENABLE_UPLOAD_URL',
  'SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION',
  'SERVICE_ENABLE_LOCAL_STORAGE',
  'SERVICE_ENABLE_SIGNUP',
] as const

/** Times of what happens without a request, with the least and the most that they may be. */
const timings: Readonly<Record<string, readonly [least: number, most: number, unit: string]>> = {
  SERVICE_JOBS_INTERVAL: [1, 86_400, 'seconds'],
  SERVICE_SCRUB_DAYS: [0, 3_650, 'days'],
}

export type LimitName = (typeof countLimits)[number] | (typeof sizeLimits)[number]

export const limitNames: ReadonlySet<string> = new Set([...countLimits, ...sizeLimits])

export const defaultValues: SiteValues = new Map([
  ...countLimits.map((name) => [name, '0'] as const),
  ['SERVICE_MAX_STORAGE', '0'],
  ['SERVICE_MAX_UPLOAD_SIZE', '100M'],
  ['SERVICE_MAX_PIXELS', '100M'],
  ...toggles.map((name) => [name, name === 'SERVICE_ENABLE_SIGNUP' ? '0' : '1'] as const),
  ['SERVICE_UPLOAD_URL_ALLOW', ''],
  ['SERVICE_UPLOAD_EARLIEST_FIELDS', '0'],
  ['SERVICE_JOBS_INTERVAL', '30'],
  ['SERVICE_SCRUB_DAYS', '7'],
])

/** Why a value cannot stand under a name that means something; nothing when it can, or when the name means nothing. */
export function valueFault(name: string, value: string): string | undefined {
  if (name === 'SERVICE_UPLOAD_URL_ALLOW') return allowListFault(value)
  if ((placeValues as readonly string[]).includes(name)) return placeFault(name, value)
  if (Object.hasOwn(timings, name)) return timingFault(name, value)
  if ((sizeLimits as readonly string[]).includes(name)) {
    return parseSize(value) === undefined ? 'must be a whole number, K, M or G may follow' : undefined
  }
  if (!limitNames.has(name)) return undefined
  return parseWholeNumber(value) === undefined ? 'must be a whole number' : undefined
}

function timingFault(name: string, value: string): string | undefined {
  const [least = 0, most = 0, unit] = timings[name] ?? []
  const number = parseWholeNumber(value) ?? -1
  const isWithin = number >= least && number <= most
  return isWithin ? undefined : `must be a whole number of ${unit} from ${least} to ${most}, not "${value}"`
}

function allowListFault(value: string): string | undefined {
  try {
    parseUrlAllow(value)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The limit in force; nothing when there is none. */
export function limitOf(values: SiteValues, name: LimitName): number | undefined {
  const limit = parseSize(values.get(name) ?? defaultValues.get(name) ?? '0')
  return limit === 0 ? undefined : limit
}

export function isSwitchedOn(
  values: SiteValues,
  name: (typeof toggles)[number] | 'SERVICE_UPLOAD_EARLIEST_FIELDS',
): boolean {
  return !['', '0', 'false', 'off', 'no'].includes(
    (values.get(name) ?? defaultValues.get(name) ?? '').toLowerCase(),
  )
}
