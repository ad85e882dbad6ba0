import { shapeOf } from '../../../common/shapes.ts'
import { type Piece, tileMarkup } from '../../../common/tile.ts'
import type { CopyWords, GridData, LightboxData, LightboxWords, TileWords } from '../../../common/wire.ts'
import { attributes, type Html, href, html } from '../../../lib/html.ts'
import type { ListedFile } from '../../../media/index.ts'
import { assetPath } from '../../../ui/assets/assets.ts'
import { icon } from '../../../ui/parts/icon.ts'
import { pager } from '../../../ui/parts/lists.ts'
import type { Words } from '../../../words/en.ts'
import type { PageCall } from '../../page-call.ts'
import {
  type Selectable,
  selectBox,
  selectionBar,
  selectionData,
  selectionDialogs,
  selectionForm,
} from '../bulk-edit/selectable.ts'
import { type FileList, isByDate, leastWithRail } from './file-list.ts'
import type { FilePageOf } from './read-page.ts'
import { tileOf } from './tiles.ts'

/**
 * The files of a page and links to the pages before and after it. The island `grid` takes it over where a list is longer than a page, or
 * where its files can be selected; elsewhere `over` opens the files over their list.
 */
export function fileGrid(
  call: PageCall,
  { list, files, first, next }: FilePageOf,
  selectable?: Selectable,
): Html {
  const { words } = call.reader
  const tiles = html`<ul class="tiles">${files.map((listed) => tile(call, list, listed, selectable !== undefined))}</ul>`
  const pageLinks =
    first === undefined && next === undefined
      ? undefined
      : pager({ words, newer: first, older: next, labels: [words.listFirst, words.listNext] })
  const hasRail = isByDate(list.sort) && files.length >= leastWithRail
  const isLong = next !== undefined || selectable !== undefined || hasRail
  const isGrid = list.name !== '' && first === undefined && isLong
  const island = isGrid ? 'grid' : 'lightbox'
  const data = dataOf(isGrid ? gridData(call, list, selectable) : lightboxData(words, list))
  const rail = isGrid && hasRail ? 'has-rail' : undefined
  if (selectable)
    return html`<form id="${selectionForm}" method="post" action="/mine/selected"${attributes({ class: rail ? `selectable ${rail}` : 'selectable' })} data-island="${island}">${tiles}${pageLinks}${selectionBar(call, selectable)}${data}</form>${isGrid ? selectionDialogs(call, selectable) : undefined}`
  return html`<div${attributes({ class: rail })} data-island="${island}">${tiles}${pageLinks}${data}</div>`
}

/** `<` is the only character that could end the element. */
export const dataOf = (data: unknown): Html => ({
  markup: `<script type="application/json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`,
})

function gridData(
  { reader: { words }, query }: PageCall,
  list: FileList,
  selectable: Selectable | undefined,
): GridData {
  const kept = new URLSearchParams(
    ['sort', 'type'].flatMap((key) => (query.has(key) ? [[key, query.get(key) ?? '']] : [])),
  )
  return {
    in: list.name,
    query: String(kept),
    icons: assetPath('icons.svg'),
    lightbox: lightboxData(words, list),
    words: {
      ...tileWords(words),
      dates: words.dates,
      newOne: words.newFiles.one('#'),
      newMany: words.newFiles.other('#'),
    },
    ...(selectable && { selection: selectionData(words, selectable) }),
  }
}

const tileWords = (words: Words): TileWords => ({ cover: words.nsfw, closed: words.closed })

/** A visitor of a share has its address, and not those of its files. The files of a trash have none. */
const lightboxData = (words: Words, { sharePath, selection }: FileList): LightboxData => ({
  ...lightboxWords(words),
  ...(sharePath === undefined && !selection.isTrashed && { copy: copyWords(words) }),
})

const copyWords = ({ copyFile, selection }: Words): CopyWords => ({
  label: copyFile('#'),
  copyProtected: selection.copyProtected,
  noConnection: selection.noConnection,
})

const lightboxWords = (words: Words): LightboxWords => ({
  icons: assetPath('icons.svg'),
  previous: words.previousFile,
  next: words.nextFile,
  close: words.close,
  offline: words.offline,
})

function tile(call: PageCall, list: FileList, listed: ListedFile, isSelectable: boolean): Html {
  const { words } = call.reader
  const data = tileOf(call, listed, list)
  const { link, content, marks } = tileMarkup(data, tileWords(words))
  return html`<li class="tile r${shapeOf(listed.file)}"><a${attributes({ ...link, href: href(data.path) })}>${join(content.map(piece))}</a>${join(marks.map(piece))}${isSelectable ? selectBox(words, data) : undefined}</li>`
}

const piece = ({ tag, attributes: values, content = [] }: Piece): Html =>
  tag === 'img'
    ? html`<img${attributes({ ...values, decoding: undefined, loading: 'lazy' })}>`
    : html`<span${attributes(values)}>${join(content.map(partOf))}</span>`

function partOf(part: NonNullable<Piece['content']>[number]): Html {
  if (typeof part === 'string') return html`${part}`
  return 'icon' in part ? icon(part.icon) : piece(part)
}

const join = (parts: readonly Html[]): Html => ({ markup: parts.map(({ markup }) => markup).join('') })
