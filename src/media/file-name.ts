import { randomHex } from '../lib/ids.ts'
import { spellAscii } from './spell-ascii.ts'

export type Naming = 'original' | 'random' | 'mixed' | 'id'

const longestName = 200
const longestOriginalName = 255

/** The name that a file is stored under, by the site's way of naming, without its extension. */
export function nameOf(naming: Naming, sentName: string | undefined, id: string): string {
  if (naming === 'id') return id
  if (naming === 'random') return randomHex(16)
  const clean = cleanName(sentName ?? '')
  return naming === 'mixed' ? withSuffix(clean) : clean
}

/** A name that is taken gets an ending that nobody has. */
export const withSuffix = (name: string): string => `${name.slice(0, longestName - 17)}-${randomHex(8)}`

/** ASCII, without what means something in a path or an address; a random one when nothing is left. */
export function cleanName(sentName: string): string {
  const name = spellAscii(baseName(sentName))
    .trim()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .replace(/^[.-]+/, '')
    .slice(0, longestName)
    // Behind a dot these tell the versions of a file apart: whoever ended so could not be told from another's version.
    .replace(/(?:\.(?:th|md|fr|lg|original)|[.-])+$/i, '')
  return name === '' ? randomHex(16) : name
}

/** Without its folders and its extension. */
export const baseName = (sentName: string): string => lastPart(sentName).replace(/\.[A-Za-z0-9]{1,8}$/, '')

/** As the sender called it, without the folders that it lies in there. */
export const originalName = (sentName: string): string =>
  [...lastPart(sentName)].slice(0, longestOriginalName).join('')

/** Some stores take no NUL, and nobody can read what else is left out. */
const lastPart = (sentName: string) =>
  (sentName.split(/[/\\]/).at(-1) ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
