import { formatSize } from '../../lib/sizes.ts'
import { type StoredFile, variantOf } from '../../media/index.ts'
import type { FileAddresses } from '../file-addresses.ts'
import { html } from '../html.ts'
import { writePage } from './viewer/page.ts'
import { pathOn } from './viewer/picture.ts'
import { titleOf } from './viewer/title.ts'

interface Question {
  siteName: string
  file: StoredFile
  addresses: FileAddresses
  /** Nothing to go back to where the file has no page for others. */
  isWithoutPage: boolean
}

/** Asks before anything is deleted. The form goes to the page's own address. */
export function deletePage({ siteName, file, addresses, isWithoutPage }: Question): string {
  const thumb = file.isApproved && !file.isNsfw ? variantOf(file, 'thumb') : undefined
  return writePage({
    siteName,
    title: `Delete this file? - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<div class="question">
<h1>Delete this file?</h1>
${thumb && html`<img src="${pathOn(addresses.urlOf(thumb))}" width="${thumb.width}" height="${thumb.height}" alt="">`}
<p><strong dir="auto">${titleOf(file)}</strong><br><small>${file.width} × ${file.height}, ${formatSize(file.sizeBytes)}</small></p>
<p>It will be gone for everybody at once, with all links to it, and cannot be brought back.</p>
<form method="post" class="actions"><button class="button danger">Delete for good</button>
<a class="button second" href="${isWithoutPage ? '/' : addresses.viewerPath}">Keep it</a></form>
</div>`,
  })
}
