import { type Html, html } from '../../../lib/html.ts'
import { limitOf, type SettingName, settingTable } from '../../../site/index.ts'
import { selectField, textField } from '../../../ui/parts/controls.ts'
import type { Words } from '../../../words/en.ts'
import { writeSize } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'
import { floodOf, isOwnSetting, isSwitchedOff } from './setting-parts.ts'

interface SettingField {
  name: SettingName
  /** As it was sent, or as it is. */
  value: string
  /** The value that the form was written for. */
  seen: string
  fault: string | undefined
  hasFocus: boolean
  /** Pages that the front page can be. */
  homes: readonly (readonly [value: string, text: string])[]
}

/** The control of a setting, with its help, its default and what the operator rules. */
export function settingField(call: PageCall, field: SettingField): Html {
  const { name, value, seen, fault, hasFocus } = field
  const { words } = call.reader
  const options = optionsOf(words, field)
  const common = { label: labelOf(words, name), name, value, fault, hint: hintOf(call, name) }
  const more = { autofocus: hasFocus }
  const control = options
    ? selectField({ ...common, options, more })
    : textField({ ...common, more: { ...more, ...inputOf(name) } })
  return html`<input name="seen_${name}" value="${seen}" type="hidden" autocomplete="off">${control}`
}

function inputOf(name: SettingName) {
  const isNumber = settingTable[name].type === 'count'
  return { autocomplete: 'off', spellcheck: 'false', ...(isNumber && { inputmode: 'numeric' }) }
}

/** A value that is no longer offered stays, so that saving the page does not change it. */
function optionsOf(words: Words, { name, seen, homes }: Pick<SettingField, 'name' | 'seen' | 'homes'>) {
  const { type, options } = settingTable[name]
  if (name === 'home') {
    const known = [['upload', words.homeUpload] as const, ['explore', words.explore] as const, ...homes]
    return known.some(([value]) => value === seen) ? known : [...known, [seen, seen] as const]
  }
  if (type === 'switch') return [['1', words.switchOn] as const, ['0', words.switchOff] as const]
  return options?.map((option) => [option, optionText(words, name, option)] as const)
}

function optionText(words: Words, name: SettingName, option: string): string {
  const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = words.settingOptions
  return texts[name]?.[option] ?? option
}

/** A value as its field shows it. */
export function valueText(
  words: Words,
  { name, value, homes }: Pick<SettingField, 'name' | 'value' | 'homes'>,
): string {
  const options = optionsOf(words, { name, seen: value, homes })
  return options?.find(([each]) => each === value)?.[1] ?? value
}

export function labelOf(words: Words, name: SettingName): string {
  const flood = floodOf(name)
  if (flood) return words.floodLabel(words.floodWho[flood.who], words.floodPeriods[flood.period])
  return isOwnSetting(name) ? words.settingTexts[name][0] : name
}

function hintOf(call: PageCall, name: SettingName): string {
  const { words } = call.reader
  const { default: usual } = settingTable[name]
  const help = isOwnSetting(name) ? words.settingTexts[name][1] : words.floodHint
  const shown = usual === '' ? words.settingNone : defaultText(words, name, usual)
  return [help, words.settingDefault(shown), operatorText(call, name)].filter(Boolean).join(' ')
}

function defaultText(words: Words, name: SettingName, usual: string): string {
  if (settingTable[name].type === 'switch') return usual === '1' ? words.switchOn : words.switchOff
  return name === 'home' ? words.homeUpload : optionText(words, name, usual)
}

function operatorText({ reader, site }: PageCall, name: SettingName): string | undefined {
  const { words, language } = reader
  if (isSwitchedOff(site.values, name)) return words.operatorOff
  const most = limitOf(site.values, 'SERVICE_MAX_UPLOAD_SIZE')
  if (settingTable[name].type !== 'size' || most === undefined) return undefined
  return words.operatorLimit(writeSize(language, most))
}
