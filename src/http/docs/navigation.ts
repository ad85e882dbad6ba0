import { type Html, html } from '../html.ts'
import type { OpenApi } from './openapi-document.ts'
import { callsOf, methodBadge } from './operation.ts'

export const anchorOfTag = (tag: string): string => tag.toLowerCase()

/** Folded on a narrow screen, open beside the text on a wide one. */
export function navigation(description: OpenApi): Html {
  const calls = callsOf(description)
  const chapters = description.tags.map(({ name }) => {
    const links = calls
      .filter(({ tags }) => tags.includes(name))
      .map(
        (call) =>
          html`<li><a href="#${call.operationId}">${methodBadge(call.method)} ${call.summary}</a></li>`,
      )
    return html`<li><a href="#${anchorOfTag(name)}">${name}</a><ul>${links}</ul></li>`
  })
  return html`<nav aria-label="Contents">
<details>
<summary>Contents</summary>
<ul>
<li><a href="#authentication">Authentication</a></li>
<li><a href="#errors">Errors</a></li>
${chapters}
</ul>
</details>
</nav>`
}
