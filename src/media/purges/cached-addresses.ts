import { fileNameOf, type StoredVariant } from '../files/stored-file.ts'
import { readOptionsKey, usualQuality } from '../transforms/plan-transform.ts'

interface CachedFile {
  folder: string
  name: string
  extension: string
  variants: readonly StoredVariant[]
}

/**
 * The paths at which caches may have a file: its own, those of its versions, and one for each derived picture. Readers may have asked for
 * a picture in other words (`w=320`, `format=auto`, `v=2`, a preset): these are found by the path without its query, or by the tag.
 */
export const cachedPaths = (file: CachedFile, derived: readonly string[]): string[] => {
  const pathOf = (variant?: StoredVariant) => `/${file.folder}/${fileNameOf(file, variant)}`
  return [
    pathOf(),
    ...file.variants.map(pathOf),
    ...derived.map((options) => `${pathOf()}?${queryOf(options)}`),
  ]
}

/** The options of a derived picture by their long names, in the order of these, without those that are as usual. */
function queryOf(key: string): string {
  const { format, quality, width, height, fit, position, background, isAnimated } = readOptionsKey(key)
  const isUsual = quality === usualQuality[format as keyof typeof usualQuality]
  const pairs: [name: string, value: string | number | undefined][] = [
    ['anim', isAnimated ? 1 : undefined],
    ['background', background],
    ['fit', fit === 'scale-down' ? undefined : fit],
    ['format', format],
    ['height', height],
    ['position', position === 'center' ? undefined : position],
    ['quality', isUsual ? undefined : quality],
    ['width', width],
  ]
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&')
}
