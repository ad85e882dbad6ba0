import { parseQuery, type SearchQuery } from '../../../../media/index.ts'

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
  fault: string | undefined
}

const pieces = new RegExp(`(?<![^\\s])(${filterNames.join('|')}):(?:"([^"]*)"|(\\S+))`, 'giu')

/** Reads `harbour tag:dusk user:ada type:image after:2026-01 album:ID`. */
export function readSearch(text: string): SearchWords {
  const filters = [...text.matchAll(pieces)].map(([piece, name = '', quoted, bare = '']) => ({
    name: name.toLowerCase() as FilterName,
    value: (quoted ?? bare).trim(),
    rest: squeezed(text.replace(piece, '')),
  }))
  const words = squeezed(text.replaceAll(pieces, ''))
  const query = words === '' ? undefined : parseQuery(words)
  const fault = query && 'fault' in query ? `q: ${query.fault}` : filters.map(faultOf).find(Boolean)
  return { filters, query: query && 'fault' in query ? undefined : query, fault }
}

const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

function faultOf({ name, value }: SearchFilter): string | undefined {
  if (value === '') return `${name}: must not be empty`
  if (name === 'type' && value !== 'image' && value !== 'video')
    return `type: must be image or video, not "${value}"`
  if ((name === 'before' || name === 'after') && !dayOf(value))
    return `${name}: must be a day like 2026-11-16, a month like 2026-11 or a year, not "${value}"`
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
