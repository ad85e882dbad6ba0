import { randomHex } from '../lib/ids.ts'

export type Naming = 'original' | 'random' | 'mixed' | 'id'

const longestName = 200

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
  const name = baseName(sentName)
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{Z}\p{S}]/gu, '')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđþ]/gi, (letter) => spelled[letter.toLowerCase()] ?? '')
    .trim()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^A-Za-z0-9_.-]/g, '')
    .replace(/^[.-]+/, '')
    // What the versions of a file are told apart by.
    .replace(/(?:\.(?:th|md|fr|lg|original))+$/i, '')
    .slice(0, longestName)
    .replace(/[.-]+$/, '')
  return name === '' ? randomHex(16) : name
}

/** Without its folders and its extension. */
export function baseName(sentName: string): string {
  const last = sentName.split(/[/\\]/).at(-1) ?? ''
  return last.replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, '')
}

const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  þ: 'th',
}
