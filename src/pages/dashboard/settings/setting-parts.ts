import type { FloodPeriod, SettingName, SiteValues } from '../../../site/index.ts'
import { isSwitchedOn } from '../../../site/index.ts'

type FloodSetting = `flood_${'guest' | 'user'}_${FloodPeriod}`
/** These two have a page of their own, with a preview. */
export const brandSettings = ['site_name', 'accent'] as const satisfies readonly SettingName[]
type OwnSetting = Exclude<SettingName, FloodSetting | (typeof brandSettings)[number]>

const periods = ['minute', 'hour', 'day', 'week', 'month'] as const satisfies readonly FloodPeriod[]
const floodsOf = (who: 'guest' | 'user') => periods.map((period) => `flood_${who}_${period}` as const)

/** Every setting, by part. `users` and `mail` are decided by the operator: their pages tell what holds. */
const parts = {
  general: ['home', 'timezone', 'show_demo_notice'],
  uploads: [
    'enable_guest_uploads',
    'enable_guest_page_uploads',
    'enable_guest_url_uploads',
    'max_file_size_user',
    'max_file_size_guest',
    'enable_svg',
    'duplicates',
    'metadata',
    'file_naming',
    'storage_mode',
    ...floodsOf('guest'),
    ...floodsOf('user'),
  ] as const,
  listing: ['listing', 'moderation', 'report_hide', 'trash_days'],
  users: [],
  mail: [],
  security: ['require_second_step', 'public_key', 'protect_bytes', 'immutable_bytes', 'share_days'],
} as const satisfies Record<string, readonly SettingName[]>

export type SettingsPart = keyof typeof parts

export const settingsParts = Object.keys(parts) as readonly SettingsPart[]
export const settingsOf = (part: SettingsPart): readonly SettingName[] => parts[part]
export const isSettingsPart = (text: string): text is SettingsPart => Object.hasOwn(parts, text)

/** Who and period of an upload rate limit; undefined for the other settings. */
export function floodOf(name: SettingName): { who: 'guest' | 'user'; period: FloodPeriod } | undefined {
  const [, who, period] = /^flood_(guest|user)_(\w+)$/.exec(name) ?? []
  return who === undefined ? undefined : { who: who as 'guest' | 'user', period: period as FloodPeriod }
}

export const isOwnSetting = (name: SettingName): name is OwnSetting =>
  floodOf(name) === undefined && !brandSettings.some((each) => each === name)

const ruled = {
  enable_guest_uploads: 'SERVICE_ENABLE_API_GUEST',
  enable_guest_url_uploads: 'SERVICE_ENABLE_UPLOAD_URL',
} as const

/** Whether the operator has switched off what the setting is about: then it has no effect. */
export function isSwitchedOff(values: SiteValues, name: SettingName): boolean {
  if (floodOf(name)) return !isSwitchedOn(values, 'SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION')
  return Object.hasOwn(ruled, name) && !isSwitchedOn(values, ruled[name as keyof typeof ruled])
}
