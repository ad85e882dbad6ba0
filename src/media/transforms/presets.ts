import { checkStillAdministrator, type UserCaller } from '../../accounts/index.ts'
import { isPresetName } from '../../common/preset-rules.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { broken, type Fault, faultOf, faultsIf } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'
import { type ChangingSite, recordChange, type Site } from '../../site/index.ts'
import { noSuchPreset, tooManyPresets } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import { orderedOptions, presetOptionNames, transformOfPreset } from './preset-options.ts'
import {
  allPresets,
  countPresets,
  deletePreset,
  findPreset,
  insertPreset,
  type Preset,
  type PresetOptions,
  updatePreset,
} from './presets-table.ts'

export const mostPresets = 50

export const listPresets = (site: Site): Promise<Preset[]> => allPresets(site.db)

export async function readPreset(site: Site, name: string): Promise<Preset> {
  const preset = isPresetName(name) ? await findPreset(site.db, name) : undefined
  if (!preset) throw noSuchPreset(name.slice(0, 64))
  return preset
}

/** What is wrong with a preset, by the names of its options. */
export function presetFaults(name: string, options: PresetOptions): Fault[] {
  const asked = transformOfPreset(options)
  const isEmpty = presetOptionNames.every((option) => options[option] === undefined)
  return [
    ...faultsIf('name', isPresetName(name) ? undefined : broken('presetName')),
    ...(isEmpty ? [faultOf('', 'presetEmpty', { words: presetOptionNames })] : []),
    ...(asked && 'faults' in asked ? asked.faults : []).map(({ field, code, params }) => ({
      field,
      code,
      params,
    })),
  ]
}

/** Whether a row that a person may have written is one that `putPreset` could have. */
export function isSoundPreset(name: string, options: object): boolean {
  const isOfType = ([option, value]: [string, unknown]) =>
    Object.hasOwn(typeOfOption, option) && typeof value === typeOfOption[option as keyof PresetOptions]
  return Object.entries(options).every(isOfType) && presetFaults(name, options).length === 0
}

const typeOfOption: Readonly<Record<keyof PresetOptions, string>> = {
  width: 'number',
  height: 'number',
  fit: 'string',
  format: 'string',
  quality: 'number',
  position: 'string',
  background: 'string',
  anim: 'boolean',
}

interface PresetChange {
  name: string
  options: PresetOptions
  /** Refuses a change of another version than the caller expects; undefined if there is no such preset. */
  checkVersion: (version: number | undefined) => void
}

/** Creates the preset, or gives it other options. Without a caller in the name of the operator. */
export function putPreset(
  site: ChangingSite,
  caller: UserCaller | undefined,
  { name, options: given, checkVersion }: PresetChange,
): Promise<{ preset: Preset; isNew: boolean }> {
  const options = orderedOptions(given)
  const faults = presetFaults(name, options)
  if (faults.length > 0) throw invalidFields(faults)
  return asAdministrator(site, caller, async (db) => {
    const before = await findPreset(db, name)
    checkVersion(before?.version)
    const now = site.clock.now()
    if (!before && (await countPresets(db)) >= mostPresets) throw tooManyPresets(mostPresets)
    const version = Math.max(now.getTime(), (before?.version ?? 0) + 1)
    const preset: Preset = { name, options, createdAt: before?.createdAt ?? now, updatedAt: now, version }
    if (before && JSON.stringify(before.options) === JSON.stringify(options))
      return { preset: before, isNew: false }
    if (before) await updatePreset(db, preset)
    else await insertPreset(db, preset)
    await recordChange(
      { ...site, db },
      {
        verb: before ? 'preset.updated' : 'preset.created',
        target: name,
        before: before && optionsOf(before.options),
        after: optionsOf(options),
      },
    )
    return { preset, isNew: before === undefined }
  })
}

export function removePreset(
  site: ChangingSite,
  caller: UserCaller | undefined,
  { name, checkVersion }: Omit<PresetChange, 'options'>,
): Promise<void> {
  return asAdministrator(site, caller, async (db) => {
    const preset = await readPreset({ ...site, db }, name)
    checkVersion(preset.version)
    await deletePreset(db, name)
    await recordChange(
      { ...site, db },
      { verb: 'preset.deleted', target: name, before: optionsOf(preset.options) },
    )
  })
}

/** With null for options that are not set, so that the log shows one that was taken away. */
const optionsOf = (options: PresetOptions) =>
  Object.fromEntries(presetOptionNames.map((name) => [name, options[name] ?? null]))

/** One transaction under the lock of the site, so that the number of presets is exact. */
function asAdministrator<T>(
  site: ChangingSite,
  caller: UserCaller | undefined,
  work: (db: SiteDb) => Promise<T>,
): Promise<T> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    if (caller) await checkStillAdministrator(db, caller, site.clock.now())
    return work(db)
  })
}
