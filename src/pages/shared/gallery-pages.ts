import type { FileAddresses } from '../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../lib/html.ts'
import { drawingOf, type ListedFile, type SeenAlbum, type ShownFile } from '../../media/index.ts'
import { linkButton } from '../../ui/parts/controls.ts'
import { description as descriptionPart } from '../../ui/parts/description.ts'
import { emptyState } from '../../ui/parts/states.ts'
import { writeCount } from '../../words/format.ts'
import { mostZipped } from '../browse/albums/send-zip.ts'
import { personName } from '../browse/files/person-path.ts'
import { fileGrid } from '../browse/lists/file-grid.ts'
import { listPage } from '../browse/lists/list-page.ts'
import type { FilePageOf } from '../browse/lists/read-page.ts'
import { addressesFor } from '../browse/lists/tiles.ts'
import { pathOn, stage } from '../browse/viewer/picture.ts'
import { titleOf } from '../browse/viewer/title.ts'
import { besides } from '../browse/viewer/viewer-page.ts'
import { writePage } from '../frame.ts'
import type { PageCall } from '../page-call.ts'
import { collecting } from './collecting-page.ts'
import type { ShareRequest } from './share-request.ts'

export type Gallery = Pick<SeenAlbum, 'title' | 'description' | 'username' | 'fileCount' | 'coverFileId'>

interface GalleryPage {
  gallery: Gallery
  page: FilePageOf
}

/** The files of a shared album, or those that are shared together. A file opens over its list, at an address below that of the share. */
export async function galleryPage(
  call: PageCall,
  shareRequest: ShareRequest,
  { gallery, page }: GalleryPage,
): Promise<string> {
  const { words, language } = call.reader
  const { title, description, username, fileCount } = gallery
  const { share } = shareRequest.opened
  const form = share.allowsUpload ? await collecting(call, shareRequest) : undefined
  const count = writeCount(language, words.files, fileCount)
  const isZipped = share.allowsDownload && fileCount > 0 && fileCount <= mostZipped
  return listPage(call, {
    title,
    description,
    head: previewTags(call, shareRequest, { title, description, shown: previewOf(gallery, page.files) }),
    about: html`<p class="soft">${words.sharedBy} ${personName(call.reader, username)}${title === count ? undefined : ` · ${count}`}</p>`,
    actions: isZipped
      ? linkButton(words.shareZip, `/share/${shareRequest.token}/zip`, {
          icon: 'download',
          more: { download: true },
        })
      : undefined,
    takesFiles: form?.takesFiles ?? false,
    body: html`${form && html`<section class="requesting" aria-labelledby="requesting"><h2 id="requesting" dir="auto">${words.requestHeading(share.username)}</h2>${descriptionPart(share.message)}${form.left}${form.form}</section>`}${page.files.length > 0 ? fileGrid(call, page) : form ? undefined : emptyState({ title: words.albumEmpty, text: words.shareEmptyText })}`,
  })
}

/** The cover of the album, else its first file. */
const previewOf = ({ coverFileId }: Gallery, files: readonly ListedFile[]): ShownFile | undefined =>
  files.find(({ file }) => file.id === coverFileId && !file.isNsfw) ?? files.find(({ file }) => !file.isNsfw)

interface FilePage {
  shown: ShownFile
  addresses: FileAddresses
  /** The gallery that leads to it; undefined in the share of one file. */
  inside: { label?: string; title: string } | undefined
  previous: string | undefined
  next: string | undefined
}

/** One file of a share: the site's viewer, with what a visitor may do. */
export function sharedFilePage(call: PageCall, shareRequest: ShareRequest, filePage: FilePage): string {
  const { site, reader } = call
  const { words } = reader
  const { shown, inside, previous, next } = filePage
  const title = titleOf(shown.file)
  const { description } = shown.file
  const { allowsDownload } = shareRequest.opened.share
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">${previewTags(call, shareRequest, { title, description, shown })}`,
    reader,
    keys: [
      ...(previous === undefined ? [] : [{ key: '←', does: words.keyPrevious }]),
      ...(next === undefined ? [] : [{ key: '→', does: words.keyNext }]),
      ...(allowsDownload ? [{ key: 'd', does: words.keyDownload }] : []),
      { key: 'f', does: words.keyFullScreen },
      ...(shown.file.type === 'image' ? [{ key: 'z', does: words.keyZoom }] : []),
    ],
    body: html`<div class="viewer" data-island="viewer">
${stageOf(call, shareRequest, filePage)}
<div class="words">
<div class="headline"><h1 dir="auto">${title}</h1>
${allowsDownload ? html`<div class="actions">${linkButton(words.download, pathOn(filePage.addresses.url), { icon: 'download', more: { 'aria-keyshortcuts': 'd', download: true } })}</div>` : undefined}</div>
</div>
<div class="side">
${shown.username === undefined ? undefined : html`<p class="soft">${words.sharedBy} ${personName(reader, shown.username)}</p>`}
${inside && html`<p class="small soft">${inside.label} <a href="/share/${shareRequest.token}" dir="auto">${inside.title}</a></p>`}
${descriptionPart(description)}
</div>
</div>`,
  })
}

/** Without download nothing on the page leads to all pixels of the file. */
function stageOf(
  { reader }: PageCall,
  { opened }: ShareRequest,
  { shown, addresses, previous, next }: FilePage,
): Html {
  return stage({
    file: shown.file,
    addresses,
    words: reader.words,
    besides: besides({ previous, next, reader }),
    mayBeWhole: opened.share.allowsDownload,
  })
}

interface Preview {
  title: string
  description: string | undefined
  shown: ShownFile | undefined
}

/** For messengers; none for a share with a password. A sensitive file is in no preview. */
function previewTags(
  call: PageCall,
  { opened, caller }: ShareRequest,
  { title, description, shown }: Preview,
) {
  if (opened.share.passwordHash !== undefined) return undefined
  const { site, reader } = call
  const drawing = shown && !shown.file.isNsfw ? drawingOf(shown.file) : undefined
  const about = description?.trim().slice(0, 300).toWellFormed()
  const tags: (readonly [string, string | number])[] = [
    ['og:type', 'website'],
    ['og:site_name', reader.account?.brand.name || site.hostname],
    ['og:title', title],
    ...(about ? [['og:description', about] as const] : []),
    ...(shown && drawing
      ? ([
          ['og:image', addressesFor(call, shown, caller.share).urlOf(drawing)],
          ['og:image:type', drawing.mime],
          ['og:image:width', drawing.width],
          ['og:image:height', drawing.height],
        ] as const)
      : []),
  ]
  return html`${tags.map(([name, content]) => html`<meta property="${name}" content="${content}">`)}<meta name="twitter:card" content="${drawing ? 'summary_large_image' : 'summary'}">`
}
