import type { Caller } from '../accounts/index.ts'
import type { Site } from '../site/index.ts'
import { checkListing } from './listing.ts'
import { sortForm } from './search/words.ts'
import { albumsBeginning, tagsBeginning, usersBeginning } from './suggestions-table.ts'
import { visibilityOf } from './visibility.ts'

export interface Suggestions {
  tags: readonly string[]
  albums: readonly { id: string; title: string }[]
  users: readonly string[]
}

const leastLetters = 2
const mostOfAKind = 4
/** As long as the title of an album. */
const longest = 100
const nothing: Suggestions = { tags: [], albums: [], users: [] }

/** What a reader may mean who types: tags and people by the last word, albums by all of it. Only what lists show the caller. */
export async function suggest(site: Site, caller: Caller, text: string): Promise<Suggestions> {
  await checkListing(site, caller)
  // PostgreSQL refuses a NUL in a text, and no name has one.
  const typed = text.slice(0, longest).replaceAll('\0', ' ').trim()
  const word = typed.split(/\s+/u).at(-1) ?? ''
  if ([...word].length < leastLetters) return nothing
  const visibility = await visibilityOf(site, caller)
  const sought = (beginning: string) => ({ beginning, limit: mostOfAKind, now: site.clock.now() })
  const [tags, albums, users] = await Promise.all([
    tagsBeginning(site.db, visibility, sought(sortForm(word))),
    albumsBeginning(site.db, visibility, sought(sortForm(typed))),
    usersBeginning(site.db, visibility, sought(word.toLowerCase())),
  ])
  return { tags, albums, users }
}
