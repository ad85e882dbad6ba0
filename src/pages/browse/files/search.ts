import type { BrokenRule } from '../../../lib/faults.ts'
import { type Html, html } from '../../../lib/html.ts'
import { checkListing, listAlbums, parseQuery } from '../../../media/index.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { submitButton, textField } from '../../parts/controls.ts'
import { icon } from '../../parts/icon.ts'
import { emptyState } from '../../parts/states.ts'
import { faultText } from '../../refusal-words.ts'
import { albumPath } from '../lists/album-card.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { callerOf, openList } from '../lists/file-list.ts'
import { listPage, ofListing } from '../lists/list-page.ts'
import { addressWith, readFilePage } from '../lists/read-page.ts'
import { readSearch, type SearchFilter } from '../lists/search-words.ts'

/** Files by words and filters, and albums by words. */
export const getSearch: PageHandler = ofListing(async (call) => {
  const { words } = call.reader
  await checkListing(call.site, callerOf(call))
  const q = (call.query.get('q') ?? '').replaceAll('\0', ' ').trim()
  const { filters, fault } = readSearch(q)
  const body = q === '' ? helpState(call) : fault === undefined ? await results(call, q) : html``
  return {
    status: fault === undefined || q === '' ? 200 : 400,
    page: listPage(call, {
      title: words.search,
      about: html`${searchForm(call, q, q === '' ? undefined : fault)}${chipsOf(call, filters)}`,
      body,
    }),
  }
})

const searchForm = ({ reader: { words } }: PageCall, q: string, fault: BrokenRule | undefined): Html =>
  html`<form class="search-form" role="search" action="/search">
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
