import { randomHex } from '../../lib/ids.ts'
import { transliterate } from '../../lib/transliterate.ts'

export type Naming = 'original' | 'random' | 'mixed' | 'id'

const maxNameLength = 200
const maxOriginalNameLength = 255

/** The name of a file in its URL, by the site's setting, without extension. */
export function nameOf(naming: Naming, sentName: string | undefined, id: string): string {
  if (naming === 'id') return id
  if (naming === 'random') return randomHex(16)
  const clean = cleanName(sentName ?? '')
  return naming === 'mixed' ? withSuffix(clean) : clean
}

/** Makes a taken name unique. */
export const withSuffix = (name: string): string => `${name.slice(0, maxNameLength - 17)}-${randomHex(8)}`

/** ASCII, without characters that are special in a path or URL; random if nothing remains. */
export function cleanName(sentName: string): string {
  const name = transliterate(baseName(sentName))
    .trim()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .replace(/^[.-]+/, '')
    .slice(0, maxNameLength)
    // These suffixes mark variants: a file with such a name could be mistaken for another file's variant.
    .replace(/(?:\.(?:th|md|fr|lg|original)|[.-])+$/i, '')
  return name === '' ? randomHex(16) : name
}

/** The sent name without folders and extension. */
export const baseName = (sentName: string): string => lastPart(sentName).replace(/\.[A-Za-z0-9]{1,8}$/, '')

/** The sent name without folders. */
export const originalName = (sentName: string): string =>
  [...lastPart(sentName)].slice(0, maxOriginalNameLength).join('')

/** Control characters become spaces: they are invisible, and PostgreSQL refuses NUL. */
const lastPart = (sentName: string) =>
  (sentName.split(/[/\\]/).at(-1) ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
