import { badKey } from './errors.ts'

const longestKey = 900
const longestSegment = 255

/** Keys become paths and parts of URLs, so every key is checked here again. */
export function checkKey(key: string): void {
  const isSound = Buffer.byteLength(key) <= longestKey && key.split('/').every(isSegment)
  if (!isSound) throw badKey()
}

/** A folder is a key, or '' for everything. */
export function checkFolder(folder: string): void {
  if (folder !== '') checkKey(folder)
}

function isSegment(segment: string): boolean {
  return (
    segment !== '' &&
    !segment.startsWith('.') &&
    !forbidden.test(segment) &&
    segment.isWellFormed() &&
    Buffer.byteLength(segment) <= longestSegment
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const forbidden = /[\\\u0000-\u001f\u007f]/
