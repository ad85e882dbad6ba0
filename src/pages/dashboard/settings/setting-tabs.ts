import type { Html } from '../../../lib/html.ts'
import { tabs } from '../../../ui/parts/lists.ts'
import type { Words } from '../../../words/en.ts'
import { type SettingsPart, settingsParts } from './setting-parts.ts'

/** The part that has no settings, but rows of its own. */
export const presetsPath = '/dashboard/settings/transforms'

/** The parts of the settings, with that of the presets. */
export function settingsTabs(words: Words, current: SettingsPart | 'transforms'): Html {
  const parts = settingsParts.map((part) => ({
    label: words.settingsParts[part],
    address: `/dashboard/settings/${part}`,
    isCurrent: part === current,
  }))
  const presets = { label: words.presets, address: presetsPath, isCurrent: current === 'transforms' }
  return tabs(words.settings, [...parts, presets])
}
