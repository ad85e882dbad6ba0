import { type Html, html } from '../../lib/html.ts'
import { writePage } from '../frame.ts'
import type { PageCall } from '../page-call.ts'

interface TextPage {
  title: string
  body: Html
  /** Between title and text. */
  note?: Html | undefined
  /** Search engines may show it. */
  isListed: boolean
}

/** A page to read. */
export const textPage = ({ site, reader }: PageCall, { title, body, note, isListed }: TextPage): string =>
  writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: isListed ? html`` : html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<article class="page text">
<h1 dir="auto">${title}</h1>
${note}
${body}
</article>`,
  })
