import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { tagPath } from '../../../http/addresses/public-url.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Album, Preset, SeenAlbum, StoredFile } from '../../../media/index.ts'
import type { PageKey } from '../../../ui/keys.ts'
import { button, linkButton } from '../../../ui/parts/controls.ts'
import { description } from '../../../ui/parts/description.ts'
import { avatar } from '../../../ui/parts/lists.ts'
import { banner } from '../../../ui/parts/states.ts'
import type { Reader } from '../../../ui/reader.ts'
import { noFaults } from '../../../ui/refusal-words.ts'
import { writePage } from '../../frame.ts'
import { personName } from '../files/person-path.ts'
import { albumPath } from '../lists/album-card.ts'
import { shareButton, shareDialog } from '../shares/share-button.ts'
import { copyBar } from './copy-bar.ts'
import { fieldsOfFile, fileForm } from './edit-form.ts'
import { embedSection, pageCodeId } from './embed-codes.ts'
import { exifSection } from './exif.ts'
import { byline, type DetailsContext, detailList, expirationNote } from './file-details.ts'
import { likeForm } from './like-form.ts'
import { linkedData } from './linked-data.ts'
import { metaTags } from './meta.ts'
import { pathOn, stage } from './picture.ts'
import { titleOf } from './title.ts'

export interface Viewing extends DetailsContext {
  siteName: string
  file: StoredFile
  tags: readonly string[]
  addresses: FileAddresses
  /** Undefined if other sites may not show the file. */
  oembedUrl: string | undefined
  /** Reachable by its URL only. */
  isUnlisted: boolean
  /** Of the owner; undefined for a guest's file. */
  username: string | undefined
  /** Of the owner. */
  picture: string | undefined
  isLiked: boolean
  /** The reader may change it. */
  isOwn: boolean
  /** The reader sees it by its own privacy, and not by a signed address alone. */
  mayReport: boolean
  album: Album | undefined
  /** Albums of the owner that it can be moved to. */
  albums: readonly SeenAlbum[]
  hasTrash: boolean
  /** Of the site, for links and snippets. */
  presets: readonly Preset[]
  /** Shows links and snippets of these instead of the usual ones. */
  hasPresetCodes: boolean
  isImmutable: boolean
  /** Paths of the files beside it in its album. */
  previous: string | undefined
  next: string | undefined
}

/** The page of one file. */
export function viewerPage(viewing: Viewing): string {
  const { siteName, file, tags, addresses, reader, isOwn } = viewing
  const { words } = reader
  return writePage({
    siteName,
    title: `${titleOf(file)} - ${siteName}`,
    head: html`${metaTags(viewing)}${linkedData(viewing)}`,
    reader,
    keys: keysOf(viewing),
    body: html`<div class="viewer" data-island="viewer">
${stage({ file, addresses, words, besides: besides(viewing) })}
<div class="words">
<div class="headline"><h1 dir="auto">${titleOf(file)}</h1>
${actions(viewing)}</div>
${owner(viewing)}
${whereabouts(viewing)}
${notes(viewing)}
${description(file.description)}
${tagList(tags, reader)}
${isOwn ? editSection(viewing) : undefined}
${copyBar(file, reader)}
${embedSection(viewing, reader)}
</div>
<div class="side">
<section aria-labelledby="facts"><h2 id="facts" tabindex="-1" aria-keyshortcuts="i">${words.details}</h2>
${detailList(file, viewing)}
<p>${linkButton(file.type === 'video' ? words.openFile : words.fullSize, pathOn(addresses.url), { look: 'plain', icon: 'open' })}</p>
</section>
${exifSection(file.exif, words)}
${reportLink(viewing)}
</div>
${isOwn ? shareDialog({ of: 'file', words }) : undefined}
</div>`,
  })
}

/** What people come for. The script shows the button that copies; without it the links below are copied by hand. */
function actions(viewing: Viewing): Html {
  const { addresses, reader, isOwn } = viewing
  const { words } = reader
  const copyLink = { 'data-copy': pageCodeId, hidden: true }
  return html`<div class="actions">${button(words.copyLink, { look: 'plain', icon: 'link', more: copyLink })}
${isOwn ? shareButton({ path: addresses.viewerPath, of: 'file', words }) : linkButton(words.shareAction, `#${pageCodeId}`, { look: 'plain', icon: 'share', more: { 'data-share-page': true } })}
${likeForm(viewing)}
${linkButton(words.download, pathOn(addresses.url), { icon: 'download', more: { 'aria-keyshortcuts': 'd', download: true } })}</div>`
}

function keysOf({ reader: { words, account }, isOwn, hasTrash, file, previous, next }: Viewing): PageKey[] {
  return [
    ...(previous === undefined ? [] : [{ key: '←', does: words.keyPrevious }]),
    ...(next === undefined ? [] : [{ key: '→', does: words.keyNext }]),
    { key: 'c', does: words.keyCopy },
    { key: 'd', does: words.keyDownload },
    ...(isOwn ? [{ key: 'e', does: words.keyEdit }] : []),
    { key: 'f', does: words.keyFullScreen },
    { key: 'i', does: words.keyDetails },
    ...(account?.user ? [{ key: 'l', does: words.keyLike }] : []),
    ...(file.type === 'image' ? [{ key: 'z', does: words.keyZoom }] : []),
    ...(isOwn && hasTrash ? [{ key: 'Delete', does: words.fileTrash }] : []),
  ]
}

/** Links to the previous and next file, over the stage. */
export function besides({
  previous,
  next,
  reader: { words },
}: Pick<Viewing, 'previous' | 'next' | 'reader'>): Html | undefined {
  if (previous === undefined && next === undefined) return undefined
  const neighbourLink = (path: string | undefined, side: 'left' | 'right', label: string) =>
    path === undefined
      ? undefined
      : linkButton(label, path, {
          look: 'quiet',
          icon: side,
          hasOnlyIcon: true,
          more: {
            rel: side === 'left' ? 'prev' : 'next',
            'aria-keyshortcuts': side === 'left' ? 'ArrowLeft' : 'ArrowRight',
          },
        })
  return html`<nav class="besides" aria-label="${words.previousFile}, ${words.nextFile}">${neighbourLink(previous, 'left', words.previousFile)}${neighbourLink(next, 'right', words.nextFile)}</nav>`
}

const whereabouts = ({ album, reader: { words } }: Viewing): Html | undefined =>
  album &&
  html`<p class="small soft">${words.inAlbum} <a href="${albumPath(album)}" dir="auto">${album.title}</a></p>`

function owner(viewing: Viewing): Html {
  const { username, picture, file, reader } = viewing
  const line = byline(file, viewing)
  if (username === undefined) return line
  return html`<div class="owner">${avatar(username, picture)}<div>${personName(reader, username)}${line}</div></div>`
}

const notes = (viewing: Viewing): Html => {
  const { file, reader } = viewing
  const { words } = reader
  return html`${expirationNote(file, viewing)}
${file.isApproved ? undefined : banner(html`${words.filePending}`, 'warn')}
${file.isPrivate ? banner(html`${words.fileOnlyYou}`) : undefined}`
}

function editSection(viewing: Viewing): Html {
  const { file, tags, albums, reader, hasTrash, isImmutable, addresses } = viewing
  const { words } = reader
  return html`<details class="edit"><summary aria-keyshortcuts="e"><h2>${words.editFile}</h2></summary>
${fileForm({ fields: fieldsOfFile(file, tags), faults: noFaults, albums, path: addresses.viewerPath, hasTrash, isImmutable, reader })}
</details>`
}

const reportLink = ({ mayReport, addresses, reader: { words } }: Viewing): Html | undefined =>
  mayReport
    ? html`<p class="small"><a href="${addresses.viewerPath}/report" rel="nofollow">${words.reportFile}</a></p>`
    : undefined

/** Tags lead to their lists where these are open to the reader. */
function tagList(tags: readonly string[], { words, account }: Reader): Html | undefined {
  if (tags.length === 0) return undefined
  const shown = tags.map((tag) =>
    account?.mayExplore
      ? html`<li><a href="${tagPath(tag)}" dir="auto">${tag}</a></li>`
      : html`<li dir="auto">${tag}</li>`,
  )
  return html`<ul class="tags" aria-label="${words.tags}">${shown}</ul>`
}
