import type { Suggestion } from '../../../common/wire.ts'
import { tagPath } from '../../../http/addresses/public-url.ts'
import type { BrokenRule } from '../../../lib/faults.ts'
import { type Html, html } from '../../../lib/html.ts'
import { checkListing, countShownFiles, listAlbums, parseQuery, suggest } from '../../../media/index.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { submitButton, textField } from '../../../ui/parts/controls.ts'
import { icon } from '../../../ui/parts/icon.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { faultText } from '../../../ui/refusal-words.ts'
import { writeCount, writeNumber } from '../../../words/format.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { albumPath } from '../lists/album-card.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { callerOf, openList } from '../lists/file-list.ts'
import { listPage, ofListing } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'
import { readSearch, type SearchFilter } from '../lists/search-words.ts'
import { ofOwnScript } from '../lists/shape-calls.ts'
import { personPath } from './person-path.ts'

/** Files by words and filters, and albums by words. */
export const getSearch: PageHandler = ofListing(async (call) => {
  const { words } = call.reader
  await checkListing(call.site, callerOf(call))
  const q = (call.query.get('q') ?? '').replaceAll('\0', ' ').trim()
  const { filters, fault } = readSearch(q)
  const isSearched = q !== '' && fault === undefined
  const body = q === '' ? helpState(call) : isSearched ? await results(call, q) : html``
  return {
    status: fault === undefined || q === '' ? 200 : 400,
    page: listPage(call, {
      title: isSearched ? await titleOf(call, q) : words.search,
      about: html`${searchForm(call, q, q === '' ? undefined : fault)}${chipsOf(call, filters)}`,
      body,
    }),
  }
})

/** Counted up to this number, whatever is found. */
const mostCounted = 1_000

async function titleOf(call: PageCall, q: string): Promise<string> {
  const { words, language } = call.reader
  const { selection, caller } = await openList(call, `search:${q}`)
  const count = await countShownFiles(call.site, caller, { selection, most: mostCounted + 1 })
  const text = writeCount(language, words.searchResults, Math.min(count, mostCounted))
  return `${words.search}: ${count > mostCounted ? words.searchMost(writeNumber(language, mostCounted)) : text}`
}

/** Tags, albums and people that begin as the reader types. */
export const getSuggestions: PageHandler = ofOwnScript(async (call): Promise<Suggestion[]> => {
  const { words } = call.reader
  const { tags, albums, users } = await suggest(call.site, callerOf(call), call.query.get('q') ?? '')
  return [
    ...tags.map((text) => ({ icon: 'tag' as const, kind: words.searchTag, text, path: tagPath(text) })),
    ...albums.map((album) => ({
      icon: 'albums' as const,
      kind: words.searchAlbum,
      text: album.title,
      path: albumPath(album),
    })),
    ...users.map((text) => ({
      icon: 'person' as const,
      kind: words.searchPerson,
      text,
      path: personPath(text),
    })),
  ]
})

const searchForm = ({ reader: { words } }: PageCall, q: string, fault: BrokenRule | undefined): Html =>
  html`<form class="search-form" role="search" action="/search" data-suggest="${words.searchSuggestions}">
${textField({ label: words.searchLabel, name: 'q', id: 'search', value: q, fault: fault && faultText(words, fault), hint: words.searchHint, more: { type: 'search', maxlength: 1_000, autocapitalize: 'off', 'aria-keyshortcuts': '/' } })}
${submitButton(words.searchGo, { icon: 'search' })}
</form>`

/** Each leads to the search without it. */
function chipsOf(call: PageCall, filters: readonly SearchFilter[]): Html | undefined {
  if (filters.length === 0) return undefined
  const { words } = call.reader
  const chips = filters.map(
    ({ name, value, rest }) =>
      html`<li><a class="chip" href="${addressWith(call, { q: rest })}"><span dir="auto">${name}: ${value}</span>${icon('close')}<span class="only-read">${words.searchRemove}</span></a></li>`,
  )
  return html`<ul class="chips" aria-label="${words.searchFilters}">${chips}</ul>`
}

async function results(call: PageCall, q: string): Promise<Html> {
  const { words } = call.reader
  const page = await readFilePage(call, await openList(call, `search:${q}`))
  const albums = call.query.has('after') ? [] : await albumsOf(call, q)
  if (page.files.length === 0 && albums.length === 0)
    return emptyState({ title: words.nothingFound, text: words.nothingFoundText })
  const links = albums.map(
    (album) => html`<li><a href="${albumPath(album)}" dir="auto">${album.title}</a></li>`,
  )
  return html`${links.length > 0 ? html`<section aria-labelledby="found-albums"><h2 id="found-albums">${words.albums}</h2><ul class="found">${links}</ul></section>` : undefined}
${page.files.length > 0 ? fileGrid(call, page) : undefined}`
}

const mostAlbums = 6

/** Albums have words alone: with a filter there are none. */
async function albumsOf(call: PageCall, q: string) {
  const { filters, query } = readSearch(q)
  if (!query || filters.length > 0 || 'fault' in parseQuery(q)) return []
  const listing = {
    sort: 'createdAt',
    isDescending: true,
    userId: undefined,
    parentId: undefined,
    query,
  } as const
  return listAlbums(call.site, callerOf(call), listing, { after: undefined, limit: mostAlbums })
}

const helpState = ({ reader: { words } }: PageCall): Html =>
  emptyState({ title: words.searchEmpty, text: words.searchEmptyText })
