import { isControlPath, isUploadPath, pathOf } from '../http/requests/paths.ts'
import type { ErrorBody } from '../http/responses/errors.ts'
import type { ErrorForm } from '../http/send-error.ts'
import { type Html, html } from '../lib/html.ts'
import { writePage } from './frame.ts'
import { setPageHeaders } from './headers.ts'
import { linkButton } from './parts/controls/button.ts'
import { mark } from './parts/mark.ts'
import { type Reader, readerOf } from './reader.ts'

interface Failure {
  siteName: string | undefined
  body: ErrorBody
  reader: Reader
  /** The same request may succeed a little later. */
  isRepeatable: boolean
}

const titled = [400, 401, 403, 404, 409, 413, 429, 500, 503] as const

/** What happened and what to do. Messages are written in English; other languages have a text for each status. */
export function errorPage({ siteName, body, reader, isRepeatable }: Failure): string {
  const { words, language } = reader
  const status = body.status_code
  const known = titled.find((each) => each === status) ?? (status >= 500 ? 503 : 400)
  const title = words[`error${known}`]
  const text = language === 'en' ? body.error.message : words[`error${known}Text`]
  return writePage({
    siteName,
    title: siteName === undefined ? title : `${title} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
${mark('steps')}
<h1>${title}</h1>
<p>${text}</p>
${incidentOf(reader, body)}
${nextStep(reader, siteName, isRepeatable)}
</div>`,
  })
}

function incidentOf({ words, language }: Reader, { error }: ErrorBody): Html | undefined {
  const [, incident] = /Incident (\w+)/.exec(error.message) ?? []
  if (incident === undefined || language === 'en') return undefined
  return html`<p class="soft">${words.incident} <span class="incident">${incident}</span></p>`
}

function nextStep({ words, path }: Reader, siteName: string | undefined, isRepeatable: boolean) {
  if (isRepeatable) return html`<p>${linkButton(words.tryAgain, path, { look: 'plain' })}</p>`
  if (siteName === undefined || path === '/') return undefined
  return html`<p>${linkButton(words.toFrontPage, '/', { look: 'plain' })}</p>`
}

const codesWithoutSite = ['unknown-host', 'bad-host', 'wrong-host', 'site-disabled']

/** Errors for browsers on a site. */
export const errorPageForm: ErrorForm = {
  fits: ({ url, headers }) =>
    !isControlPath(pathOf(url)) && !isUploadPath(pathOf(url)) && /\btext\/html\b/.test(headers.accept ?? ''),
  write: (app, request, reply, { error, response: { headers, body } }) => {
    setPageHeaders(app, request, reply)
    return errorPage({
      // Undefined if the request names no site, or one that shows nothing.
      siteName: codesWithoutSite.includes(error.code) ? undefined : request.client?.hostname,
      body,
      reader: request.reader ?? readerOf(request),
      isRepeatable: headers['retry-after'] !== undefined && request.method === 'GET',
    })
  },
}
