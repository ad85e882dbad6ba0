import { type BrokenRule, broken } from '../lib/faults.ts'
import { parseUrlAllow } from '../lib/net/url-allow.ts'
import { parseSize, parseWholeNumber } from '../lib/sizes.ts'
import { locationFault } from './location.ts'

/**
 * Site values: limits and switches that an operator sets for a site, in the environment of the process, in a plan or in a
 * tenant; the highest level wins (`tenants/values/effective.ts`). A new setting belongs here if it may differ by plan or
 * tenant. One value for the whole process belongs into `config.ts`; what the site's own administrator decides belongs into
 * `settings.ts`.
 */
interface SiteValue {
  /** Undefined if the absence of the value has a meaning of its own. */
  default: string | undefined
  form: Form<Kind>
  help: string
}

type Kind = 'limit' | 'switch' | 'other'

/** Why a text cannot be the value; undefined if it can. */
type Rule = (value: string) => BrokenRule | undefined

interface Form<K extends Kind> {
  kind: K
  fault: Rule
}

const count: Form<'limit'> = {
  kind: 'limit',
  fault: (value) => (parseWholeNumber(value) === undefined ? broken('wholeNumber', {}) : undefined),
}
const size: Form<'limit'> = {
  kind: 'limit',
  fault: (value) => (parseSize(value) === undefined ? broken('size') : undefined),
}
/** Plans and tenants may hold any text, see `isSwitchedOn`; the environment of the process is checked by `switchFault`. */
const onOff: Form<'switch'> = { kind: 'switch', fault: () => undefined }
const other = (fault: Rule): Form<'other'> => ({ kind: 'other', fault })

const defaultAlerts: readonly number[] = [80, 95]

/** What happens when a quota is used up: the administrators are told, then what would use more is refused, then the site is suspended. */
export const quotaActions = ['alert', 'refuse', 'suspend'] as const
const defaultAction: QuotaAction = 'refuse'
const defaultGraceDays = 7

/** Every site value. A limit of 0 is no limit. */
const table = {
  SERVICE_MAX_USERS: { default: '0', form: count, help: 'Most users of all roles' },
  SERVICE_MAX_ADMINS: { default: '0', form: count, help: 'Most administrators' },
  SERVICE_MAX_MANAGERS: { default: '0', form: count, help: 'Most managers' },
  SERVICE_MAX_FILES: { default: '0', form: count, help: 'Most files' },
  SERVICE_MAX_ALBUMS: { default: '0', form: count, help: 'Most albums' },
  SERVICE_MAX_TAGS: { default: '0', form: count, help: 'Most tags' },
  SERVICE_MAX_TAGS_PER_FILE: { default: '0', form: count, help: 'Most tags of one file' },
  SERVICE_MAX_CATEGORIES: { default: '0', form: count, help: 'Most categories' },
  SERVICE_MAX_PAGES: { default: '100', form: count, help: 'Most pages' },
  SERVICE_MAX_STORAGES: { default: '0', form: count, help: 'Most storages' },
  SERVICE_MAX_LOGIN_PROVIDERS: { default: '0', form: count, help: 'Most login providers' },
  SERVICE_MAX_KEYS_PER_USER: { default: '50', form: count, help: 'Most keys of one user' },
  SERVICE_MAX_OPEN_UPLOADS: {
    default: '20',
    form: count,
    help: 'Most unfinished resumable uploads of one user; guests of one address get a quarter',
  },
  SERVICE_MAX_FILES_PER_USER: {
    default: '0',
    form: count,
    help: 'Most files of one user, without the trash',
  },
  SERVICE_MAX_SHARES: { default: '0', form: count, help: 'Most shares that work' },
  SERVICE_MAX_WEBHOOKS: { default: '10', form: count, help: 'Most webhooks' },
  SERVICE_MAX_STORAGE: { default: '0', form: size, help: 'Most bytes of all files and their variants' },
  SERVICE_MAX_STORAGE_PER_USER: {
    default: '0',
    form: size,
    help: 'Most bytes of the files of one user, with trash and earlier revisions',
  },
  SERVICE_MAX_TRAFFIC: { default: '0', form: size, help: 'Most bytes of files sent in a month, in UTC' },
  SERVICE_MAX_TRANSFORMS: { default: '0', form: count, help: 'Most transforms in a month, in UTC' },
  SERVICE_MAX_DERIVED: { default: '1G', form: size, help: 'Most bytes of kept transforms' },
  SERVICE_MAX_UPLOAD_SIZE: { default: '100M', form: size, help: 'Most bytes of one file' },
  SERVICE_MAX_PIXELS: { default: '100M', form: size, help: 'Most pixels of one file, its frames summed' },
  SERVICE_RATE_READS: {
    default: '600',
    form: count,
    help: 'Most reads a minute of one key, user or network',
  },
  SERVICE_RATE_WRITES: {
    default: '120',
    form: count,
    help: 'Most changes a minute of one key, user or network',
  },
  SERVICE_RATE_SEARCH: {
    default: '60',
    form: count,
    help: 'Most searches a minute of one key, user or network',
  },
  SERVICE_ENABLE_TRANSFORMS: {
    default: '1',
    form: onOff,
    help: 'Other sizes and formats of pictures, by options in their addresses',
  },
  SERVICE_ENABLE_API_GUEST: { default: '1', form: onOff, help: 'Uploads with the site’s public key' },
  SERVICE_ENABLE_API_USER: { default: '1', form: onOff, help: 'Uploads with a user’s key' },
  SERVICE_ENABLE_UPLOAD_URL: { default: '1', form: onOff, help: 'Uploads by URL' },
  SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: { default: '1', form: onOff, help: 'The upload rate limits' },
  SERVICE_ENABLE_LOCAL_STORAGE: { default: '1', form: onOff, help: 'Files on the server’s own disk' },
  SERVICE_ENABLE_SIGNUP: { default: '0', form: onOff, help: 'Whether visitors may create an account' },
  SERVICE_UPLOAD_LEGACY_FIELDS: {
    default: '0',
    form: onOff,
    help: 'Fields of the first version of the upload API in its answer',
  },
  SERVICE_UPLOAD_URL_ALLOW: {
    default: '',
    form: other(allowListFault),
    help: 'Internal hosts that uploads by URL may fetch from',
  },
  SERVICE_LOGIN_PROVIDER_ALLOW: {
    default: '',
    form: other(allowListFault),
    help: 'Internal hosts that login providers may be at',
  },
  SERVICE_JOBS_INTERVAL: {
    default: '30',
    form: other(numberFrom(1, 86_400, 'seconds')),
    help: 'Shortest time between two runs of the site’s jobs',
  },
  SERVICE_SCRUB_DAYS: {
    default: '7',
    form: other(numberFrom(0, 3_650, 'days')),
    help: 'How often stored files are verified; 0 is never',
  },
  SERVICE_AUDIT_DAYS: {
    default: '365',
    form: other(numberFrom(0, 36_500, 'days')),
    help: 'How long the audit log of the site, and the addresses of reporters, are kept; 0 is for ever',
  },
  SERVICE_USAGE_DAYS: {
    default: '400',
    form: other(numberFrom(0, 36_500, 'days')),
    help: 'How many days of usage are kept, with today; 0 is for ever',
  },
  SERVICE_QUOTA_ALERT: {
    default: defaultAlerts.join(),
    form: other((value) => (parsePercents(value) ? undefined : broken('percents', { given: value }))),
    help: 'At which percents of a quota administrators are told',
  },
  SERVICE_QUOTA_ACTION: {
    default: defaultAction,
    form: other(oneOf(quotaActions)),
    help: 'What happens when a quota is used up',
  },
  SERVICE_QUOTA_GRACE_DAYS: {
    default: String(defaultGraceDays),
    form: other(numberFrom(0, 365, 'days')),
    help: 'How long a quota may be exceeded before the site is suspended; 0 is at once',
  },
  SERVICE_DATABASE_URL: {
    default: undefined,
    form: other((value) => locationFault('SERVICE_DATABASE_URL', value)),
    help: 'Database that a new site’s rows go to',
  },
  SERVICE_STORAGE_URL: {
    default: undefined,
    form: other((value) => locationFault('SERVICE_STORAGE_URL', value)),
    help: 'Storage that a new site’s files go to',
  },
} as const satisfies Readonly<Record<string, SiteValue>>

/** Old names that plans, tenants and environments may still hold, with the names of today. */
export const renamedValues: ReadonlyMap<string, keyof typeof table> = new Map([
  ['SERVICE_UPLOAD_EARLIEST_FIELDS', 'SERVICE_UPLOAD_LEGACY_FIELDS'],
] as const)

/** Names and values for one site, merged from all levels. */
export type SiteValues = ReadonlyMap<string, string>

type NamesOf<K extends Kind> = {
  [Name in keyof typeof table]: (typeof table)[Name]['form']['kind'] extends K ? Name : never
}[keyof typeof table]

export type LimitName = NamesOf<'limit'>
export type SwitchName = NamesOf<'switch'>

export type ValueName = keyof typeof table

/** Every name in the order of the table. */
export const valueNames = Object.keys(table) as readonly ValueName[]

const entries = Object.entries<SiteValue>(table)
const namesOf = (isWanted: (value: SiteValue) => boolean) =>
  entries.filter(([, value]) => isWanted(value)).map(([name]) => name)

export const countLimits = namesOf(({ form }) => form === count)
export const sizeLimits = namesOf(({ form }) => form === size)
export const limitNames: ReadonlySet<string> = new Set(namesOf(({ form }) => form.kind === 'limit'))
export const switchNames: ReadonlySet<string> = new Set(namesOf(({ form }) => form.kind === 'switch'))

export const defaultValues: SiteValues = new Map(
  entries.flatMap(([name, { default: usual }]) => (usual === undefined ? [] : [[name, usual] as const])),
)

/** Why a value cannot be set under a name; undefined if it can, or if the name is not in the table. */
export function valueFault(name: string, value: string): BrokenRule | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof typeof table].form.fault(value) : undefined
}

/** The stricter rule for a switch in the environment of the process. */
export const switchFault = (name: string, value: string): BrokenRule | undefined =>
  switchNames.has(name) && !/^(0|1|true|false|on|off|yes|no)$/i.test(value)
    ? broken('zeroOrOne', { given: value })
    : undefined

/** The values of one level under the names of today; if a level has both names, the new one wins. */
export function withCurrentNames(values: SiteValues): SiteValues {
  if (![...renamedValues.keys()].some((old) => values.has(old))) return values
  const named = [...values].map(([name, value]) => [renamedValues.get(name) ?? name, value] as const)
  return new Map([...named, ...[...values].filter(([name]) => !renamedValues.has(name))])
}

/** The limit in force; undefined if there is none. */
export function limitOf(values: SiteValues, name: LimitName): number | undefined {
  const limit = parseSize(values.get(name) ?? table[name].default)
  return limit === 0 ? undefined : limit
}

export function isSwitchedOn(values: SiteValues, name: SwitchName): boolean {
  const value = values.get(name) ?? table[name].default
  return !['', '0', 'false', 'off', 'no'].includes(value.toLowerCase())
}

/** The percents of a quota at which administrators are told, rising. Values of an earlier release may be any text. */
export const quotaAlertsOf = (values: SiteValues): readonly number[] =>
  parsePercents(values.get('SERVICE_QUOTA_ALERT') ?? '') ?? defaultAlerts

export type QuotaAction = (typeof quotaActions)[number]

export const quotaActionOf = (values: SiteValues): QuotaAction =>
  quotaActions.find((action) => action === values.get('SERVICE_QUOTA_ACTION')) ?? defaultAction

export const quotaGraceDaysOf = (values: SiteValues): number =>
  parseWholeNumber(values.get('SERVICE_QUOTA_GRACE_DAYS') ?? '') ?? defaultGraceDays

/** One to five whole percents from 1 to 100, rising, such as 80,95; undefined for any other text. */
function parsePercents(text: string): readonly number[] | undefined {
  const percents = text.split(',').map((part) => parseWholeNumber(part) ?? 0)
  const isRising = percents.every((percent, i) => percent > (percents[i - 1] ?? 0))
  return isRising && percents.length <= 5 && (percents.at(-1) ?? 0) <= 100 ? percents : undefined
}

function oneOf(words: readonly string[]): Rule {
  return (value) => (words.includes(value) ? undefined : broken('oneOf', { words, given: value }))
}

function numberFrom(least: number, most: number, unit: 'seconds' | 'days'): Rule {
  return (value) => {
    const number = parseWholeNumber(value) ?? -1
    const isWithin = number >= least && number <= most
    return isWithin ? undefined : broken('numberOfUnits', { unit, least, most, given: value })
  }
}

function allowListFault(value: string): BrokenRule | undefined {
  try {
    parseUrlAllow(value)
    return undefined
  } catch (error) {
    return broken('allowList', { detail: (error as Error).message })
  }
}
