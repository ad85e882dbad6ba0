import { type Fault, faultOf } from '../../lib/faults.ts'
import { originalOf, pictureSize } from './plan-transform.ts'
import type { PresetOptions } from './presets-table.ts'
import { type AskedTransform, type ReadTransform, readTransform } from './read-transform.ts'

/** Every option that a preset may have: those of an address without `dpr`. */
export const presetOptionNames = [
  'width',
  'height',
  'fit',
  'format',
  'quality',
  'position',
  'background',
  'anim',
] as const satisfies readonly (keyof PresetOptions)[]

/** Reads the options as those of an address are read: so both get the same picture, under the same rules. */
export function transformOfPreset(options: PresetOptions): AskedTransform | { faults: Fault[] } | undefined {
  const pairs = presetOptionNames.flatMap((name) => {
    const value = options[name]
    return value === undefined ? [] : [[name, textOf(value)] as const]
  })
  const asked = readTransform(pairs)
  return asked && 'preset' in asked ? undefined : asked
}

const textOf = (value: string | number | boolean) =>
  typeof value === 'boolean' ? String(Number(value)) : String(value)

/** In one order and without gaps, so that equal sets have one text. */
export const orderedOptions = (options: PresetOptions): PresetOptions =>
  Object.fromEntries(
    presetOptionNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  )

/** The size of the picture that a preset makes of a file; undefined for a video without a frame. */
export function presetSize(
  file: Parameters<typeof originalOf>[0],
  options: PresetOptions,
): { width: number; height: number } | undefined {
  const asked = transformOfPreset(options)
  const original = originalOf(file)
  return original && asked && !('faults' in asked) ? pictureSize(asked, original) : undefined
}

/** What an address asks for, with the options of the preset that it names: `stored` is undefined if there is none. */
export function resolvePreset(
  read: ReadTransform | undefined,
  stored: string | undefined,
): AskedTransform | { faults: Fault[] } | undefined {
  if (!read || !('preset' in read)) return read
  const asked = stored === undefined ? undefined : transformOfPreset(JSON.parse(stored) as PresetOptions)
  if (!asked) return { faults: [{ ...faultOf('preset', 'noPreset', { given: read.preset }), in: 'query' }] }
  return 'faults' in asked ? asked : { ...asked, isOpen: true, isPreset: true }
}
