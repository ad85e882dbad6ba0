import type { Words } from '../words/en.ts'

const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
] as const

const systems = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux|X11/],
] as const

/** `Firefox, Linux`: enough to know one's own devices; a program by the first word that it sends. */
export function browserName(words: Words, userAgent: string): string {
  const find = (list: readonly (readonly [string, RegExp])[]) =>
    list.find(([, form]) => form.test(userAgent))?.[0]
  const known = [find(browsers), find(systems)].filter((name) => name !== undefined)
  if (known.length > 0) return known.join(', ')
  return userAgent.split(/[\s/]/, 1).join() || words.unknownDevice
}
