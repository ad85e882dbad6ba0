import { type Html, html } from '../../../lib/html.ts'
import type { PageCall } from '../../page-call.ts'
import { linkChip } from '../../parts/lists/chip.ts'
import type { SortWord } from '../lists/file-list.ts'
import { addressWith } from '../lists/read-page.ts'

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
