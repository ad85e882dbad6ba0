import { publicUrl } from '../../http/addresses/public-url.ts'
import { html } from '../../lib/html.ts'
import { isSwitchedOn } from '../../site/index.ts'
import { linkButton } from '../../ui/parts/controls.ts'
import { table } from '../../ui/parts/lists.ts'
import { banner } from '../../ui/parts/states.ts'
import type { PageHandler } from '../page-call.ts'
import { textPage } from './show-page.ts'

const parameters = ['source', 'title', 'tags', 'album_id', 'expiration', 'nsfw', 'format'] as const

/** How a program uploads here, with the address of this very site. */
export const showApiGuide: PageHandler = async (call) => {
  const { app, site, request, reader } = call
  const { words } = reader
  const address = `${publicUrl(app.config, site.hostname, request.client.scheme)}api/1/upload`
  const rows = parameters.map((name) => [html`<code>${name}</code>`, html`${words.apiParameters[name]}`])
  const isOff = !isSwitchedOn(site.values, 'SERVICE_ENABLE_API_USER')
  const body = html`<p>${words.apiIntro}</p>
<p class="actions">${linkButton(words.apiMakeKey, '/settings/keys', { icon: 'key' })}${linkButton(words.settingsApps, '/settings/apps', { look: 'plain' })}</p>
<h2>${words.apiRequest}</h2>
<p>${words.apiRequestText}</p>
<pre><code>curl -H 'X-API-Key: ${words.apiYourKey}' -F source=@picture.jpg \\
  ${address}</code></pre>
<h2>${words.apiParametersTitle}</h2>
${table(
  words.apiParametersTitle,
  [words.apiParameter, words.apiMeaning].map((name) => ({ name })),
  rows,
)}
<h2>${words.apiAnswer}</h2>
<p>${words.apiAnswerText}</p>
<pre><code>{
  "status_code": 200,
  "image": { "url": "${words.apiUrlOfFile}", "url_viewer": "…", "delete_url": "…" }
}</code></pre>
<p>${words.apiRefusal}</p>
<h2>${words.apiMore}</h2>
<p>${words.apiMoreText} <a href="/_/docs">${words.apiDocs}</a></p>`
  const note = isOff ? banner(html`<p>${words.apiOff}</p>`, 'warn') : undefined
  return { page: textPage(call, { title: words.apiTitle, body, note, isListed: true }) }
}
