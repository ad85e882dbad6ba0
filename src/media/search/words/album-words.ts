import { patternOf } from '../match-patterns.ts'
import type { SearchQuery } from '../search-query.ts'
import { sortForm } from './text-form.ts'
import { spelled, wordsOf } from './words.ts'

/** Between the fields, so that no phrase reaches from one to the other. No word is spelled like this. */
const gap = 'z'

/** What an album is found and sorted by; follows from its texts. */
export const albumTexts = (title: string, description: string | null | undefined) => ({
  words: albumWords(title, description),
  titleSort: sortForm(title),
})

/** The words of an album as one text, with a space around each. Never empty: an empty text is one that is missing. */
function albumWords(title: string, description: string | null | undefined): string {
  const words = [...wordsOf(title).map(spelled), gap, ...wordsOf(description ?? '').map(spelled)]
  return ` ${words.join(' ')} `
}

/**
 * Patterns for LIKE that the words of an album must have, and lists of patterns of which they must not have all. They are of letters,
 * digits and spaces alone, which both stores compare alike.
 */
export function albumPatterns({ included, excluded }: SearchQuery) {
  return {
    included: included.map(patternOf),
    excluded: excluded.map((phrases) => phrases.map(patternOf)),
  }
}
