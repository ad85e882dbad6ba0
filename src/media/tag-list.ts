const longestTag = 32
/** Characters that stand for something in a list or an address. */
const forbidden = /[,/#\p{Cc}]/u
const onlySigns = /^[/\\,.?&=#%+@!*;: ]+$/

/** A comma list of tags; those that cannot be tags are dropped, and so is what comes twice. */
export function parseTags(text: string): string[] {
  const names = text.split(',').map((name) => name.normalize('NFC').trim().replaceAll(/\s+/g, ' '))
  return [...new Set(names.filter(isTag))]
}

const isTag = (name: string) =>
  name !== '' && [...name].length <= longestTag && !forbidden.test(name) && !onlySigns.test(name)
