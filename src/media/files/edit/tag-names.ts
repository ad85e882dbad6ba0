const maxTagLength = 32
/** In one upload, or in one edit of files. */
export const mostTagsGiven = 500
/** Characters with a meaning in a list or a URL. */
const forbiddenInTag = /[,/#\p{Cc}]/u
const onlyPunctuation = /^[/\\,.?&=#%+@!*;: ]+$/

/** The form in which a tag is stored. A text that is too long for any tag is left as it is: to normalise it may take minutes. */
export function tagNameOf(text: string): string {
  const name = text.trim().replaceAll(/\s+/g, ' ')
  return name.length > 20 * maxTagLength ? name : name.normalize('NFC')
}

/** Why a stored form cannot be a tag; undefined if it can. */
export function tagFault(name: string): string | undefined {
  const length = [...name].length
  if (length === 0 || length > maxTagLength)
    return `must be 1 to ${maxTagLength} characters long, not ${length}`
  if (forbiddenInTag.test(name)) return 'must not contain commas, slashes, # and control characters'
  return onlyPunctuation.test(name) ? 'must not be punctuation alone' : undefined
}
