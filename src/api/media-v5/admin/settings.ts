import { type TSchema, Type } from 'typebox'
import { changeSettingsAs, secondStepFirst } from '../../../accounts/index.ts'
import type { LooseBody } from '../../../http/endpoint.ts'
import { Closed, orNull, Text, Whole, Word } from '../../../http/fields.ts'
import { type Fault, faultsIf } from '../../../lib/faults.ts'
import { largestWholeNumber, parseSize } from '../../../lib/sizes.ts'
import {
  readSettings,
  type SettingName,
  type Settings,
  type SettingType,
  settingTable,
} from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import { bodyRefusals, refusedAs, scopedRefusals } from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { unproven } from '../rules/proof.ts'

const SettingValue = (description: string) =>
  Type.Union([Type.Boolean(), Type.Integer(), Type.String()], { description })

const SettingObject = Type.Object({
  name: Type.String({ description: 'The name' }),
  value: SettingValue('The current value: true or false, a whole number (sizes in bytes), or a text'),
  default: SettingValue('The default value'),
  help: Type.String({ description: 'What the setting does' }),
  limit: Type.String({ description: 'The allowed values' }),
})

const SettingsObject = Type.Object({
  data: Type.Array(SettingObject, { description: 'Every setting, by name' }),
})

const names = (Object.keys(settingTable) as SettingName[]).sort()

const writeSettings = (settings: Settings) => ({
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

const SettingsEditBody = Type.Object(
  Object.fromEntries(
    names.map((name) => {
      const { help, limit } = settingTable[name]
      return [name, Type.Optional(orNull(schemaOf(name), `${help}; ${limit}; null restores the default`))]
    }),
  ),
  { ...Closed, minProperties: 1 },
)

/** Rules of the values beyond their types. */
function settingFaults(body: LooseBody): Fault[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const setting = Object.hasOwn(settingTable, name) ? settingTable[name as SettingName] : undefined
    const isOfType = ['string', 'number', 'boolean'].includes(typeof value)
    return faultsIf(name, setting && isOfType ? setting.fault(textOf(value)) : undefined)
  })
}

const textOf = (value: unknown) => (typeof value === 'boolean' ? String(Number(value)) : String(value))

function readSettingsEdit(body: unknown): ReadonlyMap<SettingName, string | null> {
  const entries = Object.entries(body as LooseBody)
  return new Map(entries.map(([name, value]) => [name as SettingName, value === null ? null : textOf(value)]))
}

export const getSettings: MediaEndpoint = {
  tag: 'Settings',
  summary: 'Read the settings of the site',
  access: 'change-settings',
  responses: { 200: { description: 'Every setting.', schema: SettingsObject }, ...scopedRefusals },
  handle: async ({ site }) => ({ status: 200, body: writeSettings(await readSettings(site)) }),
}

export const patchSettings: ChangingEndpoint = {
  tag: 'Settings',
  summary: 'Change settings of the site',
  description:
    'Changes all of them, or none if one is refused. Omitted settings keep their values; null restores the default.',
  access: 'change-settings',
  proof: 'needed',
  body: SettingsEditBody,
  bodyExample: { listing: 'members', trash_days: 14, enable_guest_uploads: false },
  bodyFaults: settingFaults,
  responses: {
    200: { description: 'Every setting.', schema: SettingsObject },
    ...bodyRefusals,
    403: unproven,
    409: refusedAs('A caller without a second step turns `require_second_step` on.', secondStepFirst()),
  },
  handle: async (call) => {
    const edit = readSettingsEdit(call.body)
    const settings = await changeSite(call.app.control, call.site, (site) =>
      changeSettingsAs(site, userOf(call), edit),
    )
    return { status: 200, body: writeSettings(settings) }
  },
}
