import { authenticationSection } from './docs/authentication.ts'
import { errorsSection } from './docs/errors.ts'
import { prose } from './docs/html.ts'
import { anchorOfTag, navigation } from './docs/navigation.ts'
import type { OpenApi } from './docs/openapi-document.ts'
import { callsOf, operationSection } from './docs/operation.ts'
import { style } from './docs/style.ts'
import { type Html, html } from './html.ts'

/** The description of the API as a page to read. It needs nothing but itself. */
export function docsPage(description: OpenApi): string {
  const { title, version, description: text } = description.info
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}, version ${version}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<h1>${title}</h1>
<p>Version ${version}, also as <a href="/_/openapi.json">OpenAPI ${description.openapi}</a></p>
</header>
<div class="page">
${navigation(description)}
<main id="main" tabindex="-1">
${text.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
${authenticationSection(description)}
${errorsSection(description)}
${description.tags.map((tag) => chapter(description, tag))}
</main>
</div>
<footer><p>Made from the same schemas that check every request.</p></footer>
</body>
</html>
`.markup
}

function chapter(description: OpenApi, tag: OpenApi['tags'][number]): Html {
  const anchor = anchorOfTag(tag.name)
  const calls = callsOf(description).filter(({ tags }) => tags.includes(tag.name))
  return html`<section aria-labelledby="${anchor}">
<h2 id="${anchor}"><a href="#${anchor}">${tag.name}</a></h2>
<p>${prose(tag.description)}</p>
${calls.map((call) => operationSection(description, call))}
</section>`
}
