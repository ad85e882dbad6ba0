import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { AssetName } from '../../../ui/assets/assets.ts'
import type { PageKey } from '../../../ui/keys.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { linkButton } from '../../../ui/parts/controls.ts'
import { description } from '../../../ui/parts/description.ts'
import { mark } from '../../../ui/parts/icon.ts'
import { linkChip, tabs } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import type { Reader } from '../../../ui/reader.ts'
import { writePage } from '../../frame.ts'
import { logInPath } from '../../guard.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import type { SortWord } from './file-list.ts'
import type { FilePageOf } from './read-page.ts'

interface ListPage {
  title: string
  /** Beside the title: the picture of a person. */
  face?: Html
  /** Above the title: what the list belongs to. */
  above?: Html | undefined
  /** Below the title. */
  about?: Html | undefined
  description?: string | undefined
  actions?: Html | undefined
  body: Html
  /** Search engines may show it. */
  isListed?: boolean
  keys?: readonly PageKey[]
  /** For link previews. */
  head?: Html | undefined
  takesFiles?: boolean
  /** Shows no files. */
  isPlain?: boolean
  styles?: readonly AssetName[]
}

/** A page with a title and a list as wide as the window. */
export function listPage({ site, reader }: PageCall, page: ListPage): string {
  const { above, about, actions, body, isListed = false, keys = [], head } = page
  return writePage({
    siteName: site.hostname,
    title: `${page.title} - ${site.hostname}`,
    head: html`${isListed ? undefined : html`<meta name="robots" content="noindex">`}${head}`,
    reader,
    keys,
    takesFiles: page.takesFiles ?? false,
    isPlain: page.isPlain ?? false,
    styles: page.styles ?? [],
    body: html`<div class="browse">
<header class="browse-head">
${above && html`<p class="small soft">${above}</p>`}
${titleOf(page)}
${about}
${actions && html`<p class="actions">${actions}</p>`}
</header>
${body}
</div>`,
  })
}

function titleOf({ title, face, ...page }: ListPage): Html {
  const heading = html`<h1 class="hero" dir="auto">${title}</h1>
${description(page.description)}`
  return face ? html`<div class="person">${face}<div>${heading}</div></div>` : heading
}

/** For readers who may upload; undefined where their files do not go. */
export const uploadButton = ({ words, account }: Reader, address: string | undefined): Html | undefined =>
  account?.mayUpload && address !== undefined
    ? linkButton(words.upload, address, { icon: 'upload' })
    : undefined

/** The orders of a list and its types, as links. `usual` is the word of the order that the list has by itself. */
export function listChips(call: PageCall, sorts: readonly SortWord[], usual: SortWord | undefined): Html {
  const { words } = call.reader
  const names: Readonly<Record<SortWord, string>> = {
    newest: words.sortNewest,
    oldest: words.sortOldest,
    popular: words.sortPopular,
    liked: words.sortLiked,
  }
  const [sort, type] = [call.query.get('sort'), call.query.get('type')]
  const orders = sorts.map((word) => {
    const isCurrent = sort === word || (sort === null && word === usual)
    return linkChip(names[word], addressWith(call, { sort: word === usual ? undefined : word }), isCurrent)
  })
  const ownOrder =
    usual === undefined
      ? [linkChip(words.sortAlbum, addressWith(call, { sort: undefined }), sort === null)]
      : []
  const types = (['image', 'video'] as const).map((word) => {
    const label = word === 'image' ? words.typeImages : words.typeVideos
    return linkChip(label, addressWith(call, { type: type === word ? undefined : word }), type === word)
  })
  return html`<nav class="chips" aria-label="${words.sortAndFilter}">${[...ownOrder, ...orders, ...types]}</nav>`
}

const isFiltered = ({ query }: PageCall): boolean => query.has('type') || query.has('after')

/** The orders of a list that has files, or would have some without its filter. */
export const fileChips = (
  call: PageCall,
  { files }: FilePageOf,
  sorts: readonly SortWord[],
): Html | undefined => (files.length > 0 || isFiltered(call) ? listChips(call, sorts, 'newest') : undefined)

/** Says what would be in the list and offers the first step, or that the filter hides it. */
export const noFiles = (call: PageCall, text: string, action?: Html): Html => {
  const { words } = call.reader
  const isHidden = isFiltered(call)
  return emptyState({
    title: words.noFiles,
    text: isHidden ? words.noFilesHere : text,
    action: isHidden ? undefined : action,
  })
}

/** Ways to look around. On phones they are the only links to tags and categories. */
export const exploreTabs = (
  { reader: { words } }: PageCall,
  current: 'files' | 'tags' | 'categories',
): Html =>
  tabs(words.explore, [
    { label: words.filesTab, address: '/explore', isCurrent: current === 'files' },
    { label: words.tags, address: '/tags', isCurrent: current === 'tags' },
    { label: words.categories, address: '/categories', isCurrent: current === 'categories' },
  ])

/** A page with a list of others' files. Where the setting `listing` hides it, guests are led to the log-in or told why. */
export const ofListing =
  (handle: PageHandler): PageHandler =>
  async (call) => {
    try {
      return await handle(call)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'members-only') return { to: logInPath(call.reader.path), status: 302 }
      if (error.code === 'listing-off') return closedPage(call)
      throw error
    }
  }

function closedPage({ site, reader, session }: PageCall): PageAnswer {
  const { words, path } = reader
  const next = session
    ? linkButton(words.myFiles, '/mine', { look: 'plain' })
    : linkButton(words.logIn, logInPath(path), { look: 'plain' })
  return {
    status: 404,
    page: writePage({
      siteName: site.hostname,
      title: `${words.error404} - ${site.hostname}`,
      head: html`<meta name="robots" content="noindex">`,
      reader,
      body: html`<div class="question">${mark('steps')}
<h1>${words.listingOff}</h1>
<p>${words.listingOffText}</p>
<p>${next}</p>
</div>`,
    }),
  }
}
