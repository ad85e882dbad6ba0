import { type TSchema, Type } from 'typebox'
import type { LooseBody } from '../../../../http/endpoint.ts'
import { Text, Whole, Word } from '../../../../http/fields.ts'
import { Closed, orNull } from '../../../../http/wire/common.ts'
import { type Fault, faultsIf } from '../../../../lib/faults.ts'
import { largestWholeNumber, parseSize } from '../../../../lib/sizes.ts'
import { type SettingName, type Settings, type SettingType, settingTable } from '../../../../site/index.ts'

const SettingValue = (description: string) =>
  Type.Union([Type.Boolean(), Type.Integer(), Type.String()], { description })

const SettingObject = Type.Object({
  name: Type.String({ description: 'The name' }),
  value: SettingValue('The current value: true or false, a whole number (sizes in bytes), or a text'),
  default: SettingValue('The default value'),
  help: Type.String({ description: 'What the setting does' }),
  limit: Type.String({ description: 'The allowed values' }),
})

export const SettingsObject = Type.Object({
  data: Type.Array(SettingObject, { description: 'Every setting, by name' }),
})

const names = (Object.keys(settingTable) as SettingName[]).sort()

export const writeSettings = (settings: Settings) => ({
  data: names.map((name) => {
    const { type, help, limit, default: usual } = settingTable[name]
    return { name, value: writeValue(type, settings[name]), default: writeValue(type, usual), help, limit }
  }),
})

const writers: Readonly<Record<SettingType, (text: string) => boolean | number | string>> = {
  switch: (text) => text === '1',
  count: Number,
  size: (text) => parseSize(text) ?? 0,
  text: (text) => text,
}

const writeValue = (type: SettingType, text: string) => writers[type](text)

/** The schema of a value, with the bounds of the table. */
function schemaOf(name: SettingName): TSchema {
  const {
    type,
    help,
    options,
    most = largestWholeNumber,
    pattern,
    rule,
    longest = 200,
    default: usual,
  } = settingTable[name]
  if (type === 'switch') return Type.Boolean()
  if (type !== 'text') return Whole(0, most, help)
  if (options) return Word(options, help)
  return Text({ most: longest, description: help, pattern, examples: [usual], ...(rule && { rule }) })
}

export const SettingsEditBody = Type.Object(
  Object.fromEntries(
    names.map((name) => {
      const { help, limit } = settingTable[name]
      return [name, Type.Optional(orNull(schemaOf(name), `${help}; ${limit}; null restores the default`))]
    }),
  ),
  { ...Closed, minProperties: 1 },
)

/** Rules of the values beyond their types. */
export function settingFaults(body: LooseBody): Fault[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const setting = Object.hasOwn(settingTable, name) ? settingTable[name as SettingName] : undefined
    const isOfType = ['string', 'number', 'boolean'].includes(typeof value)
    return faultsIf(name, setting && isOfType ? setting.fault(textOf(value)) : undefined)
  })
}

const textOf = (value: unknown) => (typeof value === 'boolean' ? String(Number(value)) : String(value))

export function readSettingsEdit(body: unknown): ReadonlyMap<SettingName, string | null> {
  const entries = Object.entries(body as LooseBody)
  return new Map(entries.map(([name, value]) => [name as SettingName, value === null ? null : textOf(value)]))
}
