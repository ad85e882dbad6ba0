import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { type Html, html } from '../../lib/html.ts'
import { unknownReader } from '../../ui/reader.ts'
import { writePage } from '../frame.ts'
import { authenticationSection } from './authentication.ts'
import { errorsSection } from './errors.ts'
import { prose } from './html.ts'
import { anchorOfTag, navigation, type Part } from './navigation.ts'
import { callsOf, operationSection } from './operation.ts'

/** The description of all APIs, those of the installation and a site's own one, as a page. */
export function docsPage(description: OpenApi, body: Html, reader = unknownReader): string {
  const { title, version } = description.info
  return writePage({
    // The page is the same at every host, so that it has the name of none.
    siteName: undefined,
    title: `${title}, version ${version}`,
    head: html`<meta name="robots" content="noindex">`,
    isPlain: true,
    styles: ['docs.css'],
    reader,
    body,
  })
}

/** The part that is the same for every reader. It is written in English alone. */
export function docsBody(description: OpenApi, siteApi: OpenApi): Html {
  const installation: Part = { description, prefix: '' }
  const site: Part = { description: siteApi, prefix: 'site-' }
  const { title, version } = description.info
  return html`<div class="docs" lang="en">
<div class="docs-head">
<h1 class="hero">${title}</h1>
<p class="soft">Version ${version}, also as <a href="/_/openapi.json">OpenAPI ${description.openapi}</a></p>
</div>
<div class="docs-columns">
${navigation(installation, site)}
<div>
${paragraphsOf(description)}
${authenticationSection(description)}
${errorsSection(description)}
${chaptersOf(installation)}
<section aria-labelledby="site-api">
<h2 id="site-api"><a href="#site-api">${siteApi.info.title}</a></h2>
<p>Version ${siteApi.info.version}, also as OpenAPI ${siteApi.openapi} at <code>/api/5/openapi.json</code> of each site.</p>
${paragraphsOf(siteApi)}
</section>
${chaptersOf(site)}
<p class="soft">Made from the same schemas that check every request.</p>
</div>
</div>
</div>`
}

const paragraphsOf = ({ info }: OpenApi): Html[] =>
  info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)

const chaptersOf = (part: Part): Html[] => part.description.tags.map((tag) => chapter(part, tag))

function chapter({ description, prefix }: Part, tag: OpenApi['tags'][number]): Html {
  const anchor = anchorOfTag(tag.name, prefix)
  const calls = callsOf(description, prefix).filter(({ tags }) => tags.includes(tag.name))
  // Both documents have a chapter of files: the name of the document tells them apart.
  const labels = prefix === '' ? anchor : `site-api ${anchor}`
  return html`<section aria-labelledby="${labels}">
<h2 id="${anchor}"><a href="#${anchor}">${tag.name}</a></h2>
<p>${prose(tag.description)}</p>
${calls.map((call) => operationSection(description, call))}
</section>`
}
