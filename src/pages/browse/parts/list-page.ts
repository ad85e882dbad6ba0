import { type Html, html } from '../../../lib/html.ts'
import { writePage } from '../../frame.ts'
import type { PageKey } from '../../keys.ts'
import type { PageCall } from '../../page-call.ts'

interface ListPage {
  title: string
  /** Above the title: what the list belongs to. */
  above?: Html | undefined
  /** Below the title. */
  about?: Html | undefined
  description?: string | undefined
  actions?: Html | undefined
  body: Html
  /** Search engines may show it. */
  isListed?: boolean
  keys?: readonly PageKey[]
}

/** A page with a title and a list as wide as the window. */
export function listPage({ site, reader }: PageCall, page: ListPage): string {
  const { title, above, about, description, actions, body, isListed = false, keys = [] } = page
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: isListed ? html`` : html`<meta name="robots" content="noindex">`,
    reader,
    keys,
    body: html`<div class="browse">
<header class="browse-head">
${above && html`<p class="small soft">${above}</p>`}
<h1 class="hero" dir="auto">${title}</h1>
${description?.trim() ? html`<p class="description" dir="auto">${description}</p>` : undefined}
${about}
${actions && html`<p class="actions">${actions}</p>`}
</header>
${body}
</div>`,
  })
}
