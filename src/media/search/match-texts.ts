import type { Phrase, SearchQuery } from './search-query.ts'
import { sortForm, spelled, wordsOf } from './words.ts'

/** Results come in this order: all terms in title or tags, then with the name, then the rest. */
export const classes = [1, 2, 3] as const
export type SearchClass = (typeof classes)[number]

/** The next better class, whose results are not repeated. */
export const betterThan = (only: SearchClass): SearchClass | undefined =>
  only === 1 ? undefined : ((only - 1) as SearchClass)

/** A query in the languages of both stores. */
export interface MatchTexts {
  /** For the operator MATCH of FTS5. */
  fts5: string
  /** For the operator `@@` of PostgreSQL, on the vector of the class: all terms are in its fields. */
  included: string
  /** On the vector of the next better class, whose results are left out. */
  better: string | undefined
  /** On the vector of all fields: a file that it matches is left out. */
  excluded: string | undefined
}

/** For all results, or those of one class alone. */
export function matchTexts(query: SearchQuery, site: number, only?: SearchClass): MatchTexts {
  const { included, excluded } = query
  const better = only && betterThan(only)
  return {
    fts5: fts5Text(query, only),
    included: allOf(included, site, only ?? 3),
    better: better && allOf(included, site, better),
    excluded:
      excluded.length === 0 ? undefined : excluded.map((phrases) => allOf(phrases, site, 3)).join(' | '),
  }
}

function fts5Text({ included, excluded }: SearchQuery, only?: SearchClass): string {
  const all = (phrases: readonly Phrase[], fields: SearchClass) =>
    `(${phrases.map((phrase) => fts5Phrase(phrase, fields)).join(' AND ')})`
  const better = only && betterThan(only)
  const unwanted = [
    ...(better === undefined ? [] : [all(included, better)]),
    ...excluded.map((phrases) => all(phrases, 3)),
  ]
  const wanted = all(included, only ?? 3)
  return unwanted.length === 0 ? wanted : `${wanted} NOT (${unwanted.join(' OR ')})`
}

const fts5Columns: Record<SearchClass, string> = {
  1: '{title tags} : ',
  2: '{title tags name} : ',
  3: '',
}

const fts5Phrase = ({ words, isPrefix }: Phrase, fields: SearchClass) =>
  `${fts5Columns[fields]}"${words.join(' ')}"${isPrefix ? ' *' : ''}`

const allOf = (phrases: readonly Phrase[], site: number, fields: SearchClass) =>
  `(${phrases.map((phrase) => tsqueryPhrase(phrase, `s${site}x`, fields)).join(' & ')})`

const weightsOf: Record<SearchClass, string> = { 1: 'AB', 2: 'ABC', 3: 'ABCD' }

/** Every word begins with the site's lead, as the migration writes it. */
function tsqueryPhrase({ words, isPrefix }: Phrase, lead: string, fields: SearchClass): string {
  const operand = (weight: string) => (word: string, index: number) => {
    const suffix = `${isPrefix && index === words.length - 1 ? '*' : ''}${weight}`
    return `${lead}${word}${suffix === '' ? '' : `:${suffix}`}`
  }
  if (words.length === 1) return words.map(operand('')).join('')
  const phrase = (weight: string) => `(${words.map(operand(weight)).join(' <-> ')})`
  // The fields follow each other without a gap: by their weights a phrase lies in one of them. Of common words most files have no
  // such phrase at all, and to find that out once takes a quarter to a tenth of the time.
  return `(${phrase('')} & (${[...weightsOf[fields]].map(phrase).join(' | ')}))`
}

/** A pattern for LIKE: of letters, digits and spaces alone, which both stores compare alike. Words have a space around them. */
const patternOf = ({ words, isPrefix }: Phrase): string => `% ${words.join(' ')}${isPrefix ? '' : ' '}%`

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
