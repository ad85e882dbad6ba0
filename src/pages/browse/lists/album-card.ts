import { slugOf } from '../../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { SeenAlbum, ShownFile } from '../../../media/index.ts'
import { icon } from '../../../ui/parts/icon.ts'
import { writeCount } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'
import { addressesFor, smallPictures } from './tiles.ts'

/** Albums side by side, each with its cover. */
export const albumCards = (
  call: PageCall,
  albums: readonly SeenAlbum[],
  covers: ReadonlyMap<string, ShownFile>,
): Html => html`<ul class="cards">${albums.map((album) => card(call, album, covers.get(album.id)))}</ul>`

function card(call: PageCall, album: SeenAlbum, cover: ShownFile | undefined): Html {
  const { language, words } = call.reader
  const isClosed = album.privacy === 'private' || album.privacy === 'password'
  const privacy = album.privacy === 'public' ? undefined : words.privacies[album.privacy]
  return html`<li class="card"><a href="${albumPath(album)}"><span class="card-picture">${pictureOf(call, cover)}</span>
<span class="card-title" dir="auto">${album.title}</span></a>
<span class="small soft">${isClosed ? icon('lock') : undefined}${writeCount(language, words.files, album.fileCount)}${privacy === undefined ? undefined : ` · ${privacy}`}</span></li>`
}

function pictureOf(call: PageCall, cover: ShownFile | undefined): Html {
  if (!cover) return icon('albums')
  if (cover.file.isNsfw) return icon('eye-off')
  const { picture, srcset } = smallPictures(cover.file, addressesFor(call, cover))
  if (picture === null) return icon('video')
  const sources = srcset === null ? undefined : html`sizes="auto, 280px" srcset="${srcset}" `
  return html`<img ${sources}src="${picture}" alt="" loading="lazy" decoding="async">`
}

/** The address of an album's page. */
export function albumPath({ id, title }: Pick<SeenAlbum, 'id' | 'title'>): string {
  const slug = slugOf(title)
  return `/album/${slug === '' ? id : `${slug}.${id}`}`
}
