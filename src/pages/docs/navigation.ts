import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { type Html, html } from '../../lib/html.ts'
import { callsOf, methodBadge } from './operation.ts'

/** A document of the page; the prefix makes its anchors differ from those of the others. */
export interface Part {
  description: OpenApi
  prefix: string
}

export const anchorOfTag = (tag: string, prefix: string): string =>
  prefix + tag.toLowerCase().replaceAll(' ', '-')

/** Folded on a narrow screen, open beside the text on a wide one. */
export function navigation(installation: Part, site: Part): Html {
  return html`<nav class="contents" aria-label="Contents" tabindex="0">
<details>
<summary>Contents</summary>
<ul>
<li><a href="#authentication">Authentication</a></li>
<li><a href="#errors">Errors</a></li>
${chaptersOf(installation)}
<li><a href="#site-api">${site.description.info.title}</a></li>
${chaptersOf(site)}
</ul>
</details>
</nav>`
}

function chaptersOf({ description, prefix }: Part): Html[] {
  const calls = callsOf(description, prefix)
  return description.tags.map(({ name }) => {
    const links = calls
      .filter(({ tags }) => tags.includes(name))
      .map(
        (call) =>
          html`<li><a href="#${call.operationId}">${methodBadge(call.method)} ${call.summary}</a></li>`,
      )
    return html`<li><a href="#${anchorOfTag(name, prefix)}">${name}</a><ul>${links}</ul></li>`
  })
}
