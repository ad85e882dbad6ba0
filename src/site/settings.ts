import { changeTokenOf, inTransaction } from '../db/index.ts'
import { type BrokenRule, broken, type Fault, lineOf } from '../lib/faults.ts'
import { Refusal } from '../lib/refusal.ts'
import { largestWholeNumber, parseSize, parseWholeNumber } from '../lib/sizes.ts'
import { recordChange } from './audit/record-change.ts'
import type { ChangingSite } from './changing-site.ts'
import { purgeProtected } from './purges/purge-rows.ts'
import { allSettings, deleteSetting, upsertSetting } from './settings-table.ts'
import type { Site } from './site.ts'

/**
 * Site settings: what a site's own administrator decides, stored in the site's rows. A limit or switch that an operator sets
 * for plans and tenants belongs into `values.ts`; one value for the whole process belongs into `config.ts`.
 */
interface Setting {
  default: string
  /** How programs read and write the value: a switch is true or false, counts and sizes are whole numbers. */
  type: 'switch' | 'count' | 'size' | 'text'
  /** What the value may be, in words. */
  limit: string
  /** Every value that it may have, if they are few. */
  options?: readonly string[]
  /** The largest number. */
  most?: number
  /** The form of a text, and its length in characters. */
  pattern?: string
  rule?: BrokenRule
  longest?: number
  /** Why a text cannot be the value; undefined if it can. */
  fault: (value: string) => BrokenRule | undefined
  help: string
}

const oneOf = (...words: string[]) => ({
  type: 'text' as const,
  limit: `one of ${words.join(', ')}`,
  options: words,
  fault: (value: string) => (words.includes(value) ? undefined : broken('oneOf', { words })),
})
const homes = 'one of upload, explore, page:NAME (a page of the site)'
const textOf = (
  pattern: string,
  { limit, rule, longest }: { limit: string; rule: BrokenRule; longest: number },
) => ({
  type: 'text' as const,
  limit,
  pattern,
  rule,
  longest,
  fault: (value: string) =>
    [...value].length <= longest && new RegExp(pattern, 'u').test(value) ? undefined : rule,
})
const isHome = textOf('^(?:upload|explore|page:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)$', {
  limit: homes,
  rule: broken('home'),
  longest: 69,
})
const isSwitch = { ...oneOf('0', '1'), type: 'switch' as const, limit: 'true or false' }
const isCount = {
  type: 'count' as const,
  limit: 'a whole number',
  most: largestWholeNumber,
  fault: (value: string) => (parseWholeNumber(value) === undefined ? broken('wholeNumber', {}) : undefined),
}
const mostDays = 36_500
const isDays = {
  type: 'count' as const,
  limit: `a whole number from 0 to ${mostDays}`,
  most: mostDays,
  fault: (value: string) =>
    (parseWholeNumber(value) ?? mostDays + 1) > mostDays
      ? broken('numberRange', { least: 0, most: mostDays })
      : undefined,
}
const isSize = {
  type: 'size' as const,
  limit: 'a whole number of bytes; 0: as much as the operator allows',
  most: largestWholeNumber,
  fault: (value: string) => (parseSize(value) === undefined ? broken('size') : undefined),
}
const timeZoneRule = broken('timeZone')
const isZone = {
  type: 'text' as const,
  limit: 'a time zone like Europe/Paris',
  pattern: '^[A-Za-z0-9_+/:-]+$',
  rule: timeZoneRule,
  longest: 64,
  fault: (value: string) => (isTimeZone(value) ? undefined : timeZoneRule),
}
const isKey = textOf('^(?:|[!-~]{16,200})$', {
  limit: '16 to 200 characters without spaces, or empty',
  rule: broken('publicKey'),
  longest: 200,
})

const mostNameLength = 60
const isName = textOf('^\\P{Cc}*$', {
  limit: `at most ${mostNameLength} characters`,
  rule: broken('siteName', { most: mostNameLength }),
  longest: mostNameLength,
})
const isColour = textOf('^(?:|#[0-9A-Fa-f]{6})$', {
  limit: 'a colour like #1d6652, or empty',
  rule: broken('colour'),
  longest: 7,
})

const guestFloods = { minute: '50', hour: '500', day: '1000', week: '5000', month: '10000' }

/** Every site setting. */
const table = {
  public_key: { default: '', ...isKey, help: 'Key for guest uploads by API; empty: no guest uploads by API' },
  enable_guest_uploads: { default: '1', ...isSwitch, help: 'Let guests upload' },
  // Off on older sites too: their guests have needed the public key so far.
  enable_guest_page_uploads: {
    default: '0',
    ...isSwitch,
    help: 'Let guests use the upload page, without a key',
  },
  enable_guest_url_uploads: { default: '0', ...isSwitch, help: 'Let guests upload by URL' },
  enable_svg: { default: '0', ...isSwitch, help: 'Accept SVG files' },
  max_file_size_user: { default: '100M', ...isSize, help: 'Maximum file size for users' },
  max_file_size_guest: { default: '10M', ...isSize, help: 'Maximum file size for guests' },
  duplicates: {
    default: 'allow',
    ...oneOf('allow', 'existing', 'reject'),
    help: 'What to do if the same file was uploaded within 24 hours',
  },
  file_naming: {
    default: 'original',
    ...oneOf('original', 'random', 'mixed', 'id'),
    help: 'How files are named',
  },
  storage_mode: { default: 'datefolder', ...oneOf('datefolder', 'direct'), help: 'Folders by date, or none' },
  metadata: {
    default: 'strip_location',
    ...oneOf('keep', 'strip_location', 'strip_all'),
    help: 'Which camera metadata files keep',
  },
  show_demo_notice: { default: '0', ...isSwitch, help: 'Say on every page that this is a demo site' },
  listing: {
    default: 'off',
    ...oneOf('off', 'members', 'public'),
    help: 'Who can list the uploads of others: no one, users, or visitors too',
  },
  trash_days: { default: '30', ...isDays, help: 'Days until files in the trash are deleted; 0: no trash' },
  share_days: {
    default: '30',
    ...isDays,
    help: 'Days until a share expires, unless it has its own date; 0: never',
  },
  // Written as 1 into sites that are installed from this version on.
  protect_bytes: {
    default: '0',
    ...isSwitch,
    help: 'Require a signed address for files in private and password albums',
  },
  immutable_bytes: {
    default: '1',
    ...isSwitch,
    help: 'Let caches keep public files for a year, not only for minutes',
  },
  require_second_step: {
    default: '0',
    ...isSwitch,
    help: 'Require a second step (TOTP) when administrators and managers log in',
  },
  home: {
    default: 'upload',
    ...isHome,
    help: 'The front page: upload, explore, or a page of the site',
  },
  site_name: { default: '', ...isName, help: 'Name of the site on its pages; empty: its hostname' },
  accent: { default: '', ...isColour, help: 'Colour of links and buttons; empty: the standard one' },
  moderation: { default: 'off', ...oneOf('off', 'guest', 'all'), help: 'Whose uploads wait for approval' },
  report_hide: {
    default: '3',
    ...isCount,
    help: 'Number of reports that hide a file until it is reviewed; 0: never hide',
  },
  timezone: { default: 'UTC', ...isZone, help: 'Time zone of the dates on pages' },
  ...floodSettings('guest', guestFloods),
  ...floodSettings('user', { minute: '0', hour: '0', day: '0', week: '0', month: '0' }),
} as const satisfies Readonly<Record<string, Setting>>

export type SettingType = Setting['type']
export type SettingName = keyof typeof table
export type FloodPeriod = keyof typeof guestFloods
export type Settings = Readonly<Record<SettingName, string>>

export const settingTable: Readonly<Record<SettingName, Setting>> = table

function floodSettings<Who extends 'guest' | 'user'>(who: Who, most: Record<FloodPeriod, string>) {
  const entries = Object.entries(most).map(([period, count]) => [
    `flood_${who}_${period}`,
    { default: count, ...isCount, help: `Uploads per ${period} and address, for ${who}s; 0: no limit` },
  ])
  return Object.fromEntries(entries) as Record<`flood_${Who}_${FloodPeriod}`, Setting>
}

/** On SQLite, by the state of the site's rows that they were read in: nearly each request asks for them. */
const kept = new WeakMap<object, Settings>()

export async function readSettings(site: Site): Promise<Settings> {
  const changeToken = changeTokenOf(site.db)
  const known = changeToken && kept.get(changeToken)
  if (known) return known
  const settings: Record<string, string> = { ...defaults }
  for (const [name, value] of await allSettings(site.db))
    if (Object.hasOwn(table, name)) settings[name] = value
  const read = Object.freeze(settings) as Settings
  if (changeToken) kept.set(changeToken, read)
  return read
}

const defaults = Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, setting.default]))

export async function changeSetting(site: Site, name: string, value: string): Promise<void> {
  const setting = Object.hasOwn(table, name) ? table[name as SettingName] : undefined
  if (!setting) throw unknownSetting(name)
  const fault = setting.fault(value)
  if (fault !== undefined) throw invalidSetting({ field: name, ...fault }, value)
  await upsertSetting(site.db, name, value)
}

/** The value was typed, or is one of a program: the message repeats it. */
const invalidSetting = (fault: Fault, value: string) =>
  new Refusal('invalid', 'invalid-setting', `${lineOf(fault)}, not "${value}"`, { faults: [fault] })

/** Another caller has changed these settings since the caller read them. */
export const settingsChanged = (names: readonly SettingName[]) =>
  new Refusal('conflict', 'settings-changed', `Changed in the meantime: ${names.join(', ')}.`)

/** Changes all of these settings or none; a value of null becomes the default again. */
export function changeSettings(
  site: ChangingSite,
  edit: ReadonlyMap<SettingName, string | null>,
): Promise<void> {
  return inTransaction(site.db, async (db) => {
    const changing = { ...site, db }
    const before = await readSettings(changing)
    for (const [name, value] of edit) {
      if (value === null) await deleteSetting(db, name)
      else await changeSetting(changing, name, value)
    }
    if (before.protect_bytes === '0' && edit.get('protect_bytes') === '1') await purgeProtected(db)
    const target = [...edit.keys()].sort().join(' ')
    await recordChange(changing, {
      verb: 'setting.changed',
      target,
      before,
      after: await readSettings(changing),
    })
  })
}

export const unknownSetting = (name: string) =>
  new Refusal('not-found', 'unknown-setting', `There is no setting "${name}".`)

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
