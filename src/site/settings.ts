import { Refusal } from '../lib/refusal.ts'
import { parseSize, parseWholeNumber } from '../lib/sizes.ts'
import { allSettings, upsertSetting } from './settings-table.ts'
import type { Site } from './site.ts'

interface Setting {
  default: string
  /** Why a value cannot be taken. */
  fault: (value: string) => string | undefined
  help: string
}

const oneOf = (...words: string[]) => ({
  fault: (value: string) => (words.includes(value) ? undefined : `must be one of ${words.join(', ')}`),
})
const isSwitch = oneOf('0', '1')
const isCount = {
  fault: (value: string) => (parseWholeNumber(value) === undefined ? 'must be a whole number' : undefined),
}
const isSize = {
  fault: (value: string) =>
    parseSize(value) === undefined ? 'must be a whole number, K, M or G may follow' : undefined,
}
const isZone = {
  fault: (value: string) => (isTimeZone(value) ? undefined : 'must be a time zone like Europe/Paris'),
}
const isKey = {
  fault: (value: string) =>
    value === '' || /^[\x21-\x7e]{16,200}$/.test(value)
      ? undefined
      : 'must be 16 to 200 characters without spaces',
}

const guestFloods = { minute: '50', hour: '500', day: '1000', week: '5000', month: '10000' }

/** What a site's administrator decides, every setting on one page. */
const table = {
  public_key: { default: '', ...isKey, help: 'Key that guests upload with; empty: guests cannot' },
  enable_guest_uploads: { default: '1', ...isSwitch, help: 'Whether guests may upload' },
  enable_guest_url_uploads: { default: '0', ...isSwitch, help: 'Whether guests may upload by URL' },
  enable_svg: { default: '0', ...isSwitch, help: 'Whether SVG is taken' },
  max_file_size_user: { default: '100M', ...isSize, help: 'Largest file of a user' },
  max_file_size_guest: { default: '10M', ...isSize, help: 'Largest file of a guest' },
  duplicates: {
    default: 'allow',
    ...oneOf('allow', 'existing', 'reject'),
    help: 'The same bytes within 24 hours',
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
    help: 'What is kept of what cameras write into files',
  },
  moderation: { default: 'off', ...oneOf('off', 'guest', 'all'), help: 'Whose uploads wait for approval' },
  timezone: { default: 'UTC', ...isZone, help: 'Zone of the dates that are shown' },
  ...floodSettings('guest', guestFloods),
  ...floodSettings('user', { minute: '0', hour: '0', day: '0', week: '0', month: '0' }),
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof table
export type FloodPeriod = keyof typeof guestFloods
export type Settings = Readonly<Record<SettingName, string>>

export const settingTable: Readonly<Record<SettingName, Setting>> = table

function floodSettings<Who extends 'guest' | 'user'>(who: Who, most: Record<FloodPeriod, string>) {
  const entries = Object.entries(most).map(([period, count]) => [
    `flood_${who}_${period}`,
    { default: count, ...isCount, help: `Most uploads of an address each ${period}, ${who}s; 0: any number` },
  ])
  return Object.fromEntries(entries) as Record<`flood_${Who}_${FloodPeriod}`, Setting>
}

export async function readSettings(site: Site): Promise<Settings> {
  const stored = await allSettings(site.db)
  const names = Object.keys(table) as SettingName[]
  return Object.fromEntries(names.map((name) => [name, stored.get(name) ?? table[name].default])) as Settings
}

export async function changeSetting(site: Site, name: string, value: string): Promise<void> {
  const setting = Object.hasOwn(table, name) ? table[name as SettingName] : undefined
  if (!setting) throw unknownSetting(name)
  const fault = setting.fault(value)
  if (fault !== undefined)
    throw new Refusal('invalid', 'invalid-setting', `${name}: ${fault}, not "${value}"`)
  await upsertSetting(site.db, name, value)
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
