import { betterThan, type SearchClass } from './match-texts.ts'
import type { Phrase, SearchQuery } from './search-query.ts'

/** A pattern for LIKE: of letters, digits and spaces alone, which both stores compare alike. Words have a space around them. */
export const patternOf = ({ words, isPrefix }: Phrase): string =>
  `% ${words.join(' ')}${isPrefix ? '' : ' '}%`

/** All these patterns, each in one of the first fields: title and tags (1), with the name (2), with the description (3). */
export interface PatternsIn {
  patterns: readonly string[]
  fields: SearchClass
}

/** What a file must have, and what it must not have, to be a result of one class. */
export function patternsOf(
  { included, excluded }: SearchQuery,
  only: SearchClass,
): { wanted: PatternsIn; unwanted: readonly PatternsIn[] } {
  const patterns = included.map(patternOf)
  const better = betterThan(only)
  return {
    wanted: { patterns, fields: only },
    unwanted: [
      ...(better === undefined ? [] : [{ patterns, fields: better }]),
      ...excluded.map((phrases) => ({ patterns: phrases.map(patternOf), fields: 3 as const })),
    ],
  }
}
