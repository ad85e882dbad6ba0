import type { FileAddresses } from '../../http/addresses/file-addresses.ts'
import { html } from '../../lib/html.ts'
import { type StoredFile, variantOf } from '../../media/index.ts'
import { linkButton, submitButton } from '../../ui/parts/controls.ts'
import type { Reader } from '../../ui/reader.ts'
import { writeSize } from '../../words/format.ts'
import { pathOn } from '../browse/viewer/picture.ts'
import { titleOf } from '../browse/viewer/title.ts'
import { writePage } from '../frame.ts'

interface Question {
  siteName: string
  file: StoredFile
  addresses: FileAddresses
  /** True if the file has no page that the caller may see; then the page leads back to the front page. */
  isWithoutPage: boolean
  reader: Reader
}

/** Asks before the file is deleted. The form goes to the page's own URL. */
export function deletePage({ siteName, file, addresses, isWithoutPage, reader }: Question): string {
  const { words, language } = reader
  const thumb = file.isApproved && !file.isNsfw ? variantOf(file, 'thumb') : undefined
  return writePage({
    siteName,
    title: `${words.deleteTitle} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
<h1>${words.deleteTitle}</h1>
${thumb && html`<img src="${pathOn(addresses.urlOf(thumb))}" width="${thumb.width}" height="${thumb.height}" alt="">`}
<p><strong dir="auto">${titleOf(file)}</strong><br><small class="soft">${file.width} × ${file.height}, ${writeSize(language, file.sizeBytes)}</small></p>
<p>${words.deleteText}</p>
<form method="post" class="actions">${submitButton(words.deleteYes, { look: 'danger', icon: 'delete' })}
${linkButton(words.deleteNo, isWithoutPage ? '/' : addresses.viewerPath, { look: 'plain' })}</form>
</div>`,
  })
}
