import {
  listPresets,
  type Preset,
  type PresetOptions,
  presetOptionNames,
  putPreset,
  removePreset,
} from '../../../media/index.ts'
import type { Session } from '../../session.ts'
import { type Column, tableOf } from '../../terminal/table.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'
import { changeOnSite, onSite } from './on-site.ts'

interface NamedPreset {
  tenant: string
  name: string
}

const columns: readonly Column<Preset>[] = [
  { title: 'NAME', value: ({ name }) => name, style: () => 'cyan' },
  { title: 'OPTIONS', value: ({ options }) => optionsText(options) },
]

/** As an address has them. */
const optionsText = (options: PresetOptions): string =>
  presetOptionNames
    .flatMap((name) => (options[name] === undefined ? [] : [`${name}=${textOf(options[name])}`]))
    .join(' ')

const textOf = (value: string | number | boolean) =>
  String(typeof value === 'boolean' ? Number(value) : value)

export async function listSitePresets(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const presets = await onSite(session, tenant, listPresets)
  session.answerList(presets.map(writePreset), () => tableOf(session.out, columns, presets), {
    ifEmpty: `There are no presets yet. Create one: terrace site --tenant ${tenant} preset:set NAME --width NUMBER`,
  })
}

export async function setSitePreset(
  session: Session,
  { tenant, name, ...options }: NamedPreset & PresetOptions,
): Promise<void> {
  if (Object.values(options).every((value) => value === undefined))
    throw nothingToChange('terrace site preset:set', 'NAME')
  const change = { name, options, checkVersion: () => undefined }
  const { preset, isNew } = await changeOnSite(session, tenant, (site) => putPreset(site, undefined, change))
  session.answer(
    writePreset(preset),
    () => `${isNew ? 'Created' : 'Changed'} the preset ${name}: ${optionsText(preset.options)}.`,
  )
}

export async function deleteSitePreset(session: Session, { tenant, name }: NamedPreset): Promise<void> {
  const removal = { name, checkVersion: () => undefined }
  await changeOnSite(session, tenant, (site) => removePreset(site, undefined, removal))
  session.answer({ name, deleted: true }, () => `Deleted the preset ${name}.`)
}

const writePreset = ({ name, options }: Preset) => ({
  name,
  ...Object.fromEntries(presetOptionNames.map((option) => [option, options[option] ?? null])),
})
