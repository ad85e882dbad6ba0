import { type BrokenRule, broken, detailOf } from '../../../lib/faults.ts'

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

/** Why a list of tags, separated by commas, cannot be taken. Empty ones are left out of a list. */
export function tagListFault(list: string): BrokenRule | undefined {
  for (const text of list.split(',').filter((each) => each.trim() !== '')) {
    const rule = tagFault(text)
    if (rule) return broken('tagOfList', { tag: text.trim().slice(0, 64), detail: detailOf(rule) })
  }
  return undefined
}
