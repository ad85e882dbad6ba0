import { isPresetName, presetBounds, presetWords } from '../../common/preset-rules.ts'
import type { DerivedFormat, Fit, Position } from '../../imaging/index.ts'
import { type Fault, faultOf } from '../../lib/faults.ts'

/** What an address asks for, before it is applied to a file. */
export interface AskedTransform {
  /** Multiplied by `dpr`. */
  width: number | undefined
  height: number | undefined
  fit: Fit
  position: Position
  /** Six lower-case hexadecimal digits or `transparent`. */
  background: string | undefined
  format: DerivedFormat | 'auto' | 'origin'
  /** Undefined for the usual one of the format. */
  quality: number | undefined
  isAnimated: boolean
  /** Whether everybody may have it: one width of the ladder, with or without a format. */
  isOpen: boolean
  /** By a preset, whose options an administrator may change. */
  isPreset: boolean
}

/** What a query asks for, or what is wrong with it. The options of a preset are not in the query. */
export type ReadTransform = AskedTransform | { faults: Fault[] } | { preset: string }

/** The widths that need no signature. */
export const ladder: readonly number[] = [320, 500, 640, 960, 1280, 1920, 2560]

const mostSide = presetBounds.width

type OptionName =
  | ('width' | 'height' | 'fit' | 'format' | 'quality' | 'dpr' | 'position' | 'background' | 'anim')
  | 'preset'

const longNames: Readonly<Record<string, OptionName>> = {
  width: 'width',
  w: 'width',
  height: 'height',
  h: 'height',
  fit: 'fit',
  resize: 'fit',
  format: 'format',
  f: 'format',
  quality: 'quality',
  q: 'quality',
  dpr: 'dpr',
  position: 'position',
  background: 'background',
  anim: 'anim',
  preset: 'preset',
}

const fits: Readonly<Record<(typeof presetWords.fit)[number], Fit>> = {
  'scale-down': 'scale-down',
  contain: 'scale-down',
  inside: 'scale-down',
  cover: 'cover',
  crop: 'cover',
  pad: 'pad',
}

const formats: readonly (DerivedFormat | 'auto' | 'jpg' | 'origin')[] = presetWords.format
const positions: readonly Position[] = presetWords.position

/** Names that are no option of the picture, beside which a width of the ladder stays open to everybody. */
type Pairs = readonly (readonly [name: string, value: string])[]

/** Undefined if the query asks for no transform. */
export function readTransform(pairs: Pairs): ReadTransform | undefined {
  const given = new Map<OptionName, { name: string; value: string }>()
  const faults: Fault[] = []
  for (const [name, value] of pairs) {
    const option = Object.hasOwn(longNames, name) ? longNames[name] : undefined
    if (option === undefined) continue
    if (given.has(option)) faults.push({ ...faultOf(name, 'givenTwice'), in: 'query' })
    else given.set(option, { name, value })
  }
  if (given.size === 0) return undefined
  const preset = given.get('preset')?.value
  if (preset !== undefined && given.size === 1 && faults.length === 0 && isPresetName(preset))
    return { preset }
  const asked = readOptions(given, faults)
  return faults.length > 0 ? { faults } : asked
}

function readOptions(
  given: ReadonlyMap<OptionName, { name: string; value: string }>,
  faults: Fault[],
): AskedTransform {
  const read = <T>(option: OptionName, parse: (value: string) => T | Fault): T | undefined => {
    const one = given.get(option)
    if (!one) return undefined
    const parsed = parse(one.value)
    if (!isFault(parsed)) return parsed
    faults.push({ ...parsed, field: one.name, in: 'query' })
    return undefined
  }
  const nameOf = (option: OptionName) => given.get(option)?.name ?? option
  const width = read('width', (value) => wholeFrom(value, mostSide))
  const height = read('height', (value) => wholeFrom(value, mostSide))
  const dpr = read('dpr', readRatio)
  if (dpr !== undefined && !given.has('width') && !given.has('height'))
    faults.push({ ...faultOf(nameOf('dpr'), 'ratioWithoutSide'), in: 'query' })
  const scaled = (option: 'width' | 'height', side: number | undefined) => {
    const pixels = side && Math.round(side * (dpr ?? 1))
    if (pixels !== undefined && pixels > mostSide)
      faults.push({
        ...faultOf(nameOf(option), 'scaledSide', { most: mostSide, given: pixels }),
        in: 'query',
      })
    return pixels
  }
  const others = [...given.values()].map(({ name }) => name).filter((name) => name !== 'preset')
  read('preset', (value) =>
    others.length > 0
      ? faultOf('', 'presetAlone', { words: others })
      : faultOf('', 'noPreset', { given: shown(value) }),
  )
  const format = read('format', (value) => oneOf(formats, value)) ?? 'auto'
  const quality = read('quality', (value) => wholeFrom(value, presetBounds.quality))
  const names = [...given.keys()]
  return {
    width: scaled('width', width),
    height: scaled('height', height),
    fit: read('fit', (value) => oneOfTable(fits, value)) ?? 'scale-down',
    position: (read('position', (value) => oneOf(positions, value)) ?? 'center') as Position,
    background: read('background', readColour),
    format: format === 'jpg' ? 'jpeg' : (format as AskedTransform['format']),
    quality: quality && Math.max(5, Math.round(quality / 5) * 5),
    isAnimated: read('anim', (value) => oneOf(['0', '1'], value)) === '1',
    isOpen: width !== undefined && ladder.includes(width) && names.every((name) => openNames.has(name)),
    isPreset: false,
  }
}

const openNames: ReadonlySet<OptionName> = new Set(['width', 'format'])

const isFault = (value: unknown): value is Fault =>
  typeof value === 'object' && value !== null && 'code' in value

const wholeFrom = (value: string, most: number): number | Fault =>
  /^[1-9]\d{0,3}$/.test(value) && Number(value) <= most
    ? Number(value)
    : faultOf('', 'wholeOption', { least: 1, most, given: shown(value) })

const readRatio = (value: string): number | Fault =>
  /^[1-3](?:\.\d{1,2})?$/.test(value) && Number(value) <= 3
    ? Number(value)
    : faultOf('', 'ratio', { given: shown(value) })

const readColour = (value: string): string | Fault =>
  /^(?:[0-9a-f]{6}|transparent)$/i.test(value) && (value.length === 6 || value === 'transparent')
    ? value.toLowerCase()
    : faultOf('', 'ground', { given: shown(value) })

const oneOf = (words: readonly string[], value: string): string | Fault =>
  words.includes(value) ? value : faultOf('', 'oneOf', { words, given: shown(value) })

const oneOfTable = <T>(table: Readonly<Record<string, T>>, value: string): T | Fault =>
  Object.hasOwn(table, value)
    ? (table[value] as T)
    : faultOf('', 'oneOf', { words: Object.keys(table), given: shown(value) })

const shown = (value: string) => (value.length > 40 ? `${value.slice(0, 40)}…` : value)
