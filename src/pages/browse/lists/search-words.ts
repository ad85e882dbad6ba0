import { type BrokenRule, broken } from '../../../lib/faults.ts'
import { mostTerms, parseQuery, type SearchQuery } from '../../../media/index.ts'

/** A word of the search with a meaning of its own, such as `tag:dusk`. */
export interface SearchFilter {
  name: FilterName
  value: string
  /** The search without it. */
  rest: string
}

const filterNames = ['tag', 'user', 'type', 'before', 'after', 'album'] as const
export type FilterName = (typeof filterNames)[number]

export interface SearchWords {
  filters: readonly SearchFilter[]
  /** Undefined if there are filters alone. */
  query: SearchQuery | undefined
  /** Why nothing can be found by these words; undefined if something can. */
  fault: BrokenRule | undefined
}

/** In quotes, `\"` is a quote and `\\` a backslash. No backslash fits twice: a long run of them must not take long. */
const pieces = new RegExp(
  `(?<![^\\s])(${filterNames.join('|')}):(?:"((?:[^"\\\\]|\\\\["\\\\]|\\\\(?!["\\\\]))*)"|(\\S+))`,
  'giu',
)

/** Of words and filters together; sixteen tags in quotes are shorter. */
const mostCharacters = 1_000

/** Reads `harbour tag:dusk user:ada type:image after:2026-01 album:ID`. Words, phrases and filters count together. */
export function readSearch(text: string): SearchWords {
  const refused = (fault: BrokenRule) => ({ filters: [], query: undefined, fault })
  if (text.length > mostCharacters)
    return refused(broken('searchLength', { most: mostCharacters, length: text.length }))
  const found = [...text.matchAll(pieces)]
  if (found.length > mostTerms)
    return refused(broken('searchTerms', { most: mostTerms, count: found.length }))
  const filters = found.map(([piece, name = '', quoted, bare = '']) => ({
    name: name.toLowerCase() as FilterName,
    value: (quoted?.replaceAll(/\\(["\\])/g, '$1') ?? bare).trim(),
    rest: squeezed(text.replace(piece, '')),
  }))
  const words = squeezed(text.replaceAll(pieces, ''))
  const query = words === '' ? undefined : parseQuery(words, filters.length)
  const fault = query && 'fault' in query ? query.fault : filters.map(faultOf).find(Boolean)
  return { filters, query: query && 'fault' in query ? undefined : query, fault }
}

const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

function faultOf({ name, value }: SearchFilter): BrokenRule | undefined {
  if (value === '') return broken('searchFilter')
  if (name === 'type' && value !== 'image' && value !== 'video') return broken('searchType')
  if ((name === 'before' || name === 'after') && !dayOf(value)) return broken('searchDay')
  return undefined
}

/** The beginning of a day, a month or a year, in UTC. */
export function dayOf(text: string): Date | undefined {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(text) ?? []
  if (year === undefined) return undefined
  const at = new Date(`${year}-${month}-${day}T00:00:00.000Z`)
  // February 30 would be a day of March.
  return Number.isNaN(at.getTime()) || !at.toISOString().startsWith(`${year}-${month}-${day}`)
    ? undefined
    : at
}
