import type { UploadData } from '../../common/wire.ts'
import { dataBlock, type Html, html } from '../../lib/html.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Share, StoredFile } from '../../media/index.ts'
import type { Words } from '../../words/en.ts'
import { writePage } from '../frame.ts'
import { linkButton, submitButton } from '../parts/controls.ts'
import { icon } from '../parts/icon.ts'
import { type MediaTile, mediaTiles } from '../parts/lists.ts'
import { banner } from '../parts/states.ts'
import { passwordForm } from '../password/password-form.ts'
import type { Reader } from '../reader.ts'

interface Titled {
  siteName: string
  title: string
  reader: Reader
}

const noindex = html`<meta name="robots" content="noindex">`

/** For a prefetch, which uses no view. A browser that shows it to a person has a way on. */
export const titlePage = ({ siteName, title, reader }: Titled): string =>
  writePage({
    siteName,
    title: `${title} - ${siteName}`,
    head: html`${noindex}<meta property="og:title" content="${title}"><meta property="og:site_name" content="${siteName}">`,
    reader,
    body: html`<div class="question"><h1 dir="auto">${title}</h1><p>${linkButton(reader.words.shareOpen, reader.path)}</p></div>`,
  })

interface Question {
  siteName: string
  share: Share
  /** Of the last attempt. */
  refusal: Refusal | undefined
  reader: Reader
}

/** Asks for the password of a share. The form goes to the page's own address. */
export function sharePasswordPage({ siteName, share, refusal, reader }: Question): string {
  const { words } = reader
  return writePage({
    siteName,
    title: `${refusal ? words.passwordRefused : words.passwordNeeded} - ${siteName}`,
    head: noindex,
    reader,
    body: passwordForm({
      heading: words.passwordNeeded,
      text: words.sharePasswordText,
      owner: { name: 'share', id: share.id },
      label: words.sharePasswordLabel,
      fault: refusal && faultOf(words, refusal),
      submit: words.shareOpen,
    }),
  })
}

function faultOf(words: Words, { code }: Refusal): string {
  if (code === 'too-many-passwords-here') return words.passwordTooManyHere
  return code === 'too-many-passwords' ? words.passwordTooMany : words.sharePasswordWrong
}

/** A file as a share shows it. */
export interface SharedFile {
  file: StoredFile
  title: string
  thumb: { path: string; width: number; height: number } | undefined
  /** The largest picture or video that the share sends; undefined if it sends none. */
  shown: { path: string; width: number; height: number } | undefined
  /** The uploaded bytes; undefined if the share allows no download. */
  download: string | undefined
}

interface Shared extends Titled {
  description: string | undefined
  files: readonly SharedFile[]
  /** The query of the next page. */
  next: string | undefined
  /** How files are sent; undefined if the share takes none. */
  upload: UploadData | undefined
  /** It takes files, but no more of them. */
  isFull: boolean
  hasSent: boolean
}

export function sharedAlbumPage(shared: Shared): string {
  const { siteName, title, description, files, next, upload, isFull, hasSent, reader } = shared
  const { words } = reader
  return writePage({
    siteName,
    title: `${title} - ${siteName}`,
    head: noindex,
    reader,
    takesFiles: upload !== undefined,
    styles: upload ? ['upload.css'] : [],
    body: html`<div class="shared">
<h1 dir="auto">${title}</h1>
${description?.trim() ? html`<p class="description" dir="auto">${description}</p>` : undefined}
${hasSent ? html`<div role="status">${banner(html`${words.shareSent}`, 'good')}</div>` : undefined}
${isFull ? banner(html`${words.shareFull}`, 'warn') : undefined}
${upload && uploadForm(upload, words)}
${files.length === 0 ? undefined : mediaTiles(files.map(tileOf))}
${next === undefined ? undefined : html`<p>${linkButton(words.shareMore, `?${next}`, { look: 'plain', more: { rel: 'next' } })}</p>`}
</div>`,
  })
}

interface SharedFilePage {
  siteName: string
  shared: SharedFile
  reader: Reader
}

export function sharedFilePage({ siteName, shared, reader }: SharedFilePage): string {
  const { words } = reader
  const { file, title, download } = shared
  return writePage({
    siteName,
    title: `${title} - ${siteName}`,
    head: noindex,
    reader,
    body: html`<div class="stage">${content(shared, words)}</div>
<div class="about"><div class="words"><h1 dir="auto">${title}</h1>
${file.description?.trim() ? html`<p class="description" dir="auto">${file.description}</p>` : undefined}
${download === undefined ? undefined : html`<p class="actions">${linkButton(words.download, download, { icon: 'download', more: { download: true } })}</p>`}
</div></div>`,
  })
}

function content({ file, title, shown, download }: SharedFile, words: Words): Html {
  if (file.type === 'video' && download !== undefined)
    return html`<video controls playsinline preload="metadata" src="${download}"${shown && html` poster="${shown.path}"`} width="${file.width}" height="${file.height}" aria-label="${title}"></video>`
  if (!shown) return html`<p>${words.shareNoPicture}</p>`
  return html`<img src="${shown.path}" width="${shown.width}" height="${shown.height}" alt="${title}">`
}

/** A file without a picture is shown by its title. */
const tileOf = ({ title, thumb, shown, download }: SharedFile): MediaTile => ({
  address: download ?? shown?.path,
  title,
  picture: thumb,
})

/** Without script a form for one file; the queue takes it over. */
const uploadForm = (
  upload: UploadData,
  words: Words,
): Html => html`<div data-island="upload" class="collecting">
<form method="post" action="${upload.sendsAt}" enctype="multipart/form-data">
<div class="drop-zone"><h2 class="if-script if-wide">${words.uploadTitle}</h2>
<label class="button">${icon('upload')}<span>${words.shareFile}</span><input type="file" name="source" accept="image/*,video/*" required></label></div>
<div data-plain>${submitButton(words.shareSend, { icon: 'upload' })}</div>
</form>
<section class="queue" aria-label="${words.queue.uploads}"></section>
${dataBlock(upload)}
</div>`
