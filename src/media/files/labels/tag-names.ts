import { type BrokenRule, broken } from '../../../lib/faults.ts'

export const longestTag = 32
/** In one upload, or in one edit of files. */
export const mostTagsGiven = 500
/** A comma separates tags in a list. */
const forbiddenInTag = /[,\p{Cc}]/u

/** A tag as callers send it, before spaces are trimmed: not blank, without commas and control characters. */
export const tagForm = '^(?=[\\s\\S]*\\S)[^,\\p{Cc}]*$'

/** The form in which a tag is stored. A text that is too long for any tag is left as it is: to normalise it may take minutes. */
export function tagNameOf(text: string): string {
  const name = text.trim().replaceAll(/\s+/g, ' ')
  return name.length > 20 * longestTag ? name : name.normalize('NFC')
}

/** Why a text cannot be a tag; undefined if it can. */
export function tagFault(text: string): BrokenRule | undefined {
  const length = [...tagNameOf(text)].length
  if (length === 0 || length > longestTag) return broken('length', { least: 1, most: longestTag, length })
  return forbiddenInTag.test(text.trim()) ? broken('tagCharacters') : undefined
}

/** The first text of a list, separated by commas, that cannot be a tag. Empty ones are left out of a list. */
export const refusedTagOf = (list: string): string | undefined =>
  list.split(',').find((text) => text.trim() !== '' && tagFault(text) !== undefined)
