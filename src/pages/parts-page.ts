import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { type Html, html } from '../lib/html.ts'
import { sendPage } from '../ui/headers.ts'
import { type Reader, readerOf } from '../ui/reader.ts'
import { writePage } from './frame.ts'
import { controlSamples, listSamples, lookSamples, type Sample, stateSamples } from './parts-samples.ts'

/** For developers alone, so that it stands in no list and no description. */
export function addPartsRoute(app: App, server: FastifyInstance): void {
  if (!app.config.isDevelopment) return
  server.get('/_/parts', (request, reply) => sendPage(app, request, reply, partsPage(readerOf(request))))
}

const path = '/_/parts'

/** Every part on one page, for developers and for the tests of the look. Its texts are samples, in English. */
function partsPage(reader: Reader): string {
  const chapters = {
    look: lookSamples(),
    controls: controlSamples(),
    lists: listSamples(reader.words),
    states: stateSamples(reader.words),
  }
  return writePage({
    siteName: 'Harbour Lane',
    title: 'Parts',
    head: html`<meta name="robots" content="noindex">`,
    styles: ['parts-page.css'],
    reader,
    navItems: [
      { label: 'Parts', path, icon: 'explore' },
      { label: 'Controls', path: `${path}#button`, icon: 'settings' },
      { label: 'States', path: `${path}#banner`, icon: 'info' },
      { label: 'API', path: '/_/docs', icon: 'key' },
    ],
    keys: [{ key: '/', does: 'Search' }],
    body: html`<div class="page parts" lang="en"><h1 class="hero">Parts</h1>
${Object.values(chapters).flatMap((samples) => samples.map(sectionOf))}
</div>`,
  })
}

function sectionOf({ name, shown }: Sample): Html {
  const id = name.toLowerCase().replaceAll(' ', '-')
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>
${shown}
</section>`
}
