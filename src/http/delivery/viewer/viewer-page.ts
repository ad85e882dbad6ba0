import type { StoredFile } from '../../../media/index.ts'
import type { FileAddresses } from '../../file-addresses.ts'
import { type Html, html } from '../../html.ts'
import { embedSection } from './embed-codes.ts'
import { exifSection } from './exif.ts'
import { expirationNote, factList } from './facts.ts'
import { metaTags } from './meta.ts'
import { writePage } from './page.ts'
import { pathOn, stage } from './picture.ts'
import { titleOf } from './title.ts'

export interface Viewing {
  siteName: string
  file: StoredFile
  tags: readonly string[]
  addresses: FileAddresses
  /** Nothing where nobody else may show it. */
  oembedUrl: string | undefined
  /** Not to be found but by its address. */
  isUnlisted: boolean
  views: number
  now: Date
  timeZone: string
}

/** The page of one file. */
export function viewerPage(viewing: Viewing): string {
  const { siteName, file, tags, addresses } = viewing
  return writePage({
    siteName,
    title: `${titleOf(file)} - ${siteName}`,
    head: metaTags(viewing),
    hasScript: true,
    body: html`${stage(file, addresses)}
<div class="about">
<div class="words">
<h1 dir="auto">${titleOf(file)}</h1>
${expirationNote(file, viewing)}
${file.description?.trim() ? html`<p class="description" dir="auto">${file.description}</p>` : undefined}
${tagList(tags)}
<p class="actions"><a class="button" href="${pathOn(addresses.url)}" download>Download</a>
<a class="button second" href="${pathOn(addresses.url)}">${file.type === 'video' ? 'Open the file' : 'Full size'}</a></p>
${embedSection(file, addresses)}
</div>
<div class="side">
<section aria-labelledby="facts"><h2 id="facts">About this file</h2>
${factList(file, viewing)}
</section>
${exifSection(file.exif)}
</div>
</div>`,
  })
}

function tagList(tags: readonly string[]): Html | undefined {
  if (tags.length === 0) return undefined
  return html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li dir="auto">${tag}</li>`)}</ul>`
}
