import { type BrokenRule, broken } from '../../lib/faults.ts'
import { invalidQuery } from '../errors.ts'
import { runsOf, spelled } from './words.ts'

/** Words, spelled, that stand next to each other; a single word is the shortest phrase. */
export interface Phrase {
  words: readonly string[]
  /** Whether the last word may go on. */
  isPrefix: boolean
}

export interface SearchQuery {
  /** All of them are meant. At least one. */
  included: readonly Phrase[]
  /** A file with all phrases of one of these lists is left out. */
  excluded: readonly (readonly Phrase[])[]
}

const mostCharacters = 200
export const mostTerms = 16

/** Why a text cannot be searched for. */
export interface QueryFault {
  fault: BrokenRule
}

/** `-`, then a phrase in quotes, which may lack its end, or everything up to a space or a quote. */
const pieces = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/g

/** Reads `cats "black cat" -dog -"hot dog" kit*`. */
export function readQuery(text: string): SearchQuery {
  const query = parseQuery(text)
  if ('fault' in query) throw invalidQuery(query.fault)
  return query
}

/** Filters count together with the terms. */
export function parseQuery(text: string, filters = 0): SearchQuery | QueryFault {
  const length = [...text].length
  if (length > mostCharacters) return { fault: broken('searchLength', { most: mostCharacters, length }) }
  const terms = [...text.matchAll(pieces)].map(([, minus, quoted, bare = '']) => ({
    isExcluded: minus === '-',
    phrases: quoted === undefined ? bareTerm(bare) : phraseOf(runsOf(quoted).flat(), false),
  }))
  const count = terms.reduce((sum, { phrases }) => sum + phrases.length, filters)
  if (count > mostTerms) return { fault: broken('searchTerms', { most: mostTerms, count }) }
  const included = terms.flatMap(({ isExcluded, phrases }) => (isExcluded ? [] : phrases))
  const excluded = terms.flatMap(({ isExcluded, phrases }) =>
    isExcluded && phrases.length > 0 ? [phrases] : [],
  )
  if (included.length > 0) return { included, excluded }
  return excluded.length > 0 ? { fault: broken('searchExcluded') } : { fault: broken('searchWordless') }
}

/** A piece such as `it's` is several words; a run of Han or Kana is a phrase. */
function bareTerm(text: string): Phrase[] {
  const runs = runsOf(text)
  const hasStar = text.endsWith('*')
  return runs.flatMap((run, index) => phraseOf(run, hasStar && index === runs.length - 1))
}

const phraseOf = (words: readonly string[], isPrefix: boolean): Phrase[] =>
  words.length === 0 ? [] : [{ words: words.map(spelled), isPrefix }]
