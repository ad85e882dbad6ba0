import type { FastifyError, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { isControlPath, isUploadPath, pathOf } from '../http/requests/paths.ts'
import type { ErrorBody } from '../http/responses/errors.ts'
import type { ErrorForm } from '../http/send-error.ts'
import { siteOfHost } from '../http/site-route.ts'
import type { BrokenRule } from '../lib/faults.ts'
import { html } from '../lib/html.ts'
import { Refusal } from '../lib/refusal.ts'
import { setPageHeaders } from '../ui/headers.ts'
import { linkButton } from '../ui/parts/controls.ts'
import { mark } from '../ui/parts/icon.ts'
import { type Reader, readerOf } from '../ui/reader.ts'
import { faultText, refusalText, statusText, titledStatus } from '../ui/refusal-words.ts'
import { writePage } from './frame.ts'
import { logInPath, pageReader } from './guard.ts'

interface Failure {
  siteName: string | undefined
  body: ErrorBody
  /** Undefined for a bug, and for a request that the framework refused. */
  refusal: Refusal | undefined
  incident: string | undefined
  reader: Reader
  /** The same request may succeed a little later. */
  isRepeatable: boolean
}

/** What happened and what to do. */
export function errorPage({ siteName, body, refusal, incident, reader, isRepeatable }: Failure): string {
  const { words, language } = reader
  const status = body.status_code
  const title = titleOf(words, refusal) ?? words[`error${titledStatus(status)}`]
  const other = language === 'en' ? body.error.message : statusText(words, status)
  const text = refusal && refusal.faults.length === 0 ? refusalText(reader, refusal) : other
  return writePage({
    siteName,
    title: siteName === undefined ? title : `${title} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
${mark('steps')}
<h1>${title}</h1>
<p>${text}</p>
${incident === undefined || language === 'en' ? undefined : html`<p class="soft">${words.incident} <span class="incident">${incident}</span></p>`}
${nextStep(reader, { siteName, isRepeatable, refusal })}
</div>`,
  })
}

/** Refusals with a title of their own. */
function titleOf(words: Reader['words'], refusal: Refusal | undefined): string | undefined {
  if (refusal?.code === 'site-disabled') return words.siteClosed
  if (refusal?.reason === 'site-suspended') return words.siteSuspended
  return refusal?.reason === 'traffic-used-up' ? words.trafficUsedUp : undefined
}

function nextStep(
  { words, path }: Reader,
  { siteName, isRepeatable, refusal }: Pick<Failure, 'siteName' | 'isRepeatable' | 'refusal'>,
) {
  if (refusal?.reason === 'site-suspended')
    return html`<p>${linkButton(words.logIn, logInPath('/settings/export'), { look: 'plain' })}</p>`
  if (isRepeatable) return html`<p>${linkButton(words.tryAgain, path, { look: 'plain' })}</p>`
  if (siteName === undefined || path === '/') return undefined
  return html`<p>${linkButton(words.toFrontPage, '/', { look: 'plain' })}</p>`
}

const withoutSite = ['unknown-host', 'bad-host', 'wrong-host', 'site-disabled', 'site-suspended']

const showsNoSite = (error: FastifyError | Refusal) =>
  withoutSite.includes(error instanceof Refusal ? error.reason : error.code)

/** Who gets the error page, on addresses that are no pages too; undefined if the site cannot be read, or shows nothing. */
async function readerOfRefused(
  app: App,
  request: FastifyRequest,
  error: FastifyError | Refusal,
): Promise<Reader | undefined> {
  const isUnavailable = error instanceof Refusal && error.kind === 'unavailable'
  if (isUnavailable || showsNoSite(error)) return undefined
  try {
    await using site = await siteOfHost(app, request)
    return (await pageReader(app, site, request)).reader
  } catch {
    return undefined
  }
}

/** Errors for browsers on a site. */
export const errorPageForm: ErrorForm = {
  fits: ({ url, headers }) =>
    !isControlPath(pathOf(url)) && !isUploadPath(pathOf(url)) && /\btext\/html\b/.test(headers.accept ?? ''),
  async prepare(app, request, error) {
    request.reader ??= await readerOfRefused(app, request, error)
  },
  write: (app, request, reply, { error, response: { headers, body, incident } }) => {
    // It names the reader: no cache between may keep it for another.
    setPageHeaders(app, request, reply).header('cache-control', 'no-store')
    return errorPage({
      // Undefined if the request names no site, or one that shows nothing.
      siteName: showsNoSite(error) ? undefined : request.client?.hostname,
      body,
      refusal: error instanceof Refusal ? error : undefined,
      incident,
      reader: request.reader ?? readerOf(request),
      // Traffic comes back with the next month.
      isRepeatable:
        headers['retry-after'] !== undefined && request.method === 'GET' && error.code !== 'quota-reached',
    })
  },
}

/** For the scripts of the pages, which show `detail`, `errors` and `error.message` as they are. Clients of the API get its own words. */
export const inReaderWords = (form: ErrorForm): ErrorForm => ({
  ...form,
  write: (app, request, reply, failure) => {
    if (request.headers['x-terrace-page'] === undefined) return form.write(app, request, reply, failure)
    const reader = readerOf(request)
    const { error, response } = failure
    const { body, status } = response
    const other = reader.language === 'en' ? body.error.message : statusText(reader.words, status)
    const message = error instanceof Refusal ? refusalText(reader, error) : other
    const inWords = { ...response, body: { ...body, error: { ...body.error, message } } }
    const textOfRule = (rule: BrokenRule) => faultText(reader.words, rule)
    return form.write(app, request, reply, { error, response: inWords, faultText: textOfRule })
  },
})
