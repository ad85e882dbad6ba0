import { tagPath } from '../../../http/addresses/public-url.ts'
import { badRequest } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import {
  type CountedTag,
  categoryOfKey,
  checkListing,
  listCategories,
  listTags,
  tagNameOf,
  tagNotFound,
} from '../../../media/index.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { pager } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeCount, writeNumber } from '../../../words/format.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { callerOf, openList } from '../lists/file-list.ts'
import { exploreTabs, fileChips, listPage, noFiles, ofListing, uploadButton } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'

const tagsOfPage = 200
const mostCategories = 1_000

/** Every tag, in order. */
export const getTags: PageHandler = ofListing(async (call) => {
  const { reader, site, query } = call
  const { words, language } = reader
  const caller = callerOf(call)
  await checkListing(site, caller)
  const after = readTagPosition(query.get('after'))
  const found = await listTags(site, caller, { beginning: undefined, after, limit: tagsOfPage + 1 })
  const tags = found.slice(0, tagsOfPage)
  const last = found.length > tagsOfPage ? tags.at(-1) : undefined
  const items = tags.map(
    ({ name, files }) =>
      html`<li><a class="chip" href="${tagPath(name)}"><span dir="auto">${name}</span><span class="soft">${writeNumber(language, files)}</span></a></li>`,
  )
  const pageLinks = pager({
    words,
    newer: after && addressWith(call, {}),
    older: last && addressWith(call, { after: `${last.form},${last.name}` }),
    labels: [words.listFirst, words.listNext],
  })
  const body =
    items.length === 0
      ? emptyState({ title: words.noTags, text: words.noTagsText, action: uploadButton(reader, '/upload') })
      : html`<ul class="chips">${items}</ul>${after || last ? pageLinks : undefined}`
  return {
    page: listPage(call, { title: words.tags, isListed: true, about: exploreTabs(call, 'tags'), body }),
  }
})

/** No tag has a comma, so the name is the text behind the last one. */
function readTagPosition(text: string | null): Pick<CountedTag, 'name' | 'form'> | undefined {
  if (text === null || text === '') return undefined
  const at = text.lastIndexOf(',')
  if (at === -1 || text.includes('\0'))
    throw badRequest('after: is not a place in this list. Begin at its first page.')
  return { form: text.slice(0, at), name: text.slice(at + 1) }
}

/** The files of a tag. A tag of which the caller sees no file is answered as unknown. */
export const getTag: PageHandler = ofListing(async (call) => {
  const name = tagNameOf(call.params.name ?? '')
  const page = await readFilePage(call, await openList(call, `tag:${name}`))
  const isFiltered = call.query.has('type') || call.query.has('after')
  if (page.files.length === 0 && !isFiltered) throw tagNotFound(name)
  return labelPage(call, { title: name, above: html`<a href="/tags">${call.reader.words.tags}</a>`, page })
})

export const getCategories: PageHandler = ofListing(async (call) => {
  const { reader, site } = call
  const { words, language } = reader
  const caller = callerOf(call)
  await checkListing(site, caller)
  const categories = await listCategories(site, caller, { after: undefined, limit: mostCategories })
  const items = categories.map(
    ({ name, urlKey, description, files }) =>
      html`<li><a href="/category/${urlKey}" dir="auto">${name}</a> <span class="small soft">${writeCount(language, words.files, files)}</span>${
        description?.trim() ? html`<p class="soft" dir="auto">${description}</p>` : undefined
      }</li>`,
  )
  const body =
    items.length === 0
      ? emptyState({ title: words.noCategories, text: words.noCategoriesText })
      : html`<ul class="rows">${items}</ul>`
  return {
    page: listPage(call, {
      title: words.categories,
      isListed: true,
      about: exploreTabs(call, 'categories'),
      body,
    }),
  }
})

export const getCategory: PageHandler = ofListing(async (call) => {
  const key = call.params.key ?? ''
  const list = await openList(call, `category:${key}`)
  const { name, description } = await categoryOfKey(call.site, key)
  const above = html`<a href="/categories">${call.reader.words.categories}</a>`
  return labelPage(call, { title: name, description, above, page: await readFilePage(call, list) })
})

interface Label {
  title: string
  description?: string | undefined
  above: Html
  page: Awaited<ReturnType<typeof readFilePage>>
}

function labelPage(call: PageCall, { title, description, above, page }: Label) {
  const { words } = call.reader
  const body = page.files.length === 0 ? noFiles(call, words.noFilesText) : fileGrid(call, page)
  const about = fileChips(call, page, ['newest', 'popular', 'liked'])
  return { page: listPage(call, { title, description, above, about, isListed: true, body }) }
}
