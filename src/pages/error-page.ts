import type { ErrorBody } from '../http/responses/errors.ts'
import { type Html, html } from '../lib/html.ts'
import { writePage } from './frame.ts'
import { linkButton } from './parts/controls/button.ts'
import { mark } from './parts/mark.ts'
import type { Reader } from './reader.ts'

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
