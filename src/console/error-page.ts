import type { ErrorForm } from '../http/send-error.ts'
import { html } from '../lib/html.ts'
import { Refusal } from '../lib/refusal.ts'
import { setPageHeaders } from '../ui/headers.ts'
import { linkButton } from '../ui/parts/controls.ts'
import { type Reader, readerOf } from '../ui/reader.ts'
import { reasonText, refusalText, statusText, titledStatus } from '../ui/refusal-words.ts'
import { consolePath } from './console-call.ts'
import { errorPage } from './frame.ts'
import { callerOfRefused, isConsolePath } from './guard.ts'

/** Errors of the console for browsers. On other hosts its addresses do not exist: there the guard has set no reader. */
export const consoleErrorForm: ErrorForm = {
  fits: ({ url, headers, reader }) =>
    isConsolePath(url) && reader !== undefined && /\btext\/html\b/.test(headers.accept ?? ''),
  write: (app, request, reply, { error, response: { body, headers, incident } }) => {
    setPageHeaders(app, request, reply).header('cache-control', 'no-store')
    const reader = request.reader ?? readerOf(request)
    const { words, language } = reader
    // The address of a form, opened as a page: there is nothing to see, as at an unknown one.
    const status = body.status_code === 405 ? 404 : body.status_code
    const isRepeatable = headers['retry-after'] !== undefined && request.method === 'GET'
    const [label, path] = isRepeatable
      ? [words.tryAgain, reader.path]
      : [words.consoleToOverview, consolePath()]
    return errorPage(reader, callerOfRefused(request), {
      title: words[`error${titledStatus(status)}`],
      content: html`<p>${textOf(reader, { status, error, message: body.error.message })}</p>
${incident === undefined || language === 'en' ? undefined : html`<p class="soft">${words.incident} <span class="incident">${incident}</span></p>`}
<p>${linkButton(label, path, { look: 'plain' })}</p>`,
    })
  },
}

/** What is not there is said to programs by its kind; a person reads what may be the reason. */
function textOf(
  reader: Reader,
  { status, error, message }: { status: number; error: unknown; message: string },
): string {
  const { words, language } = reader
  if (status === 404)
    return (error instanceof Refusal ? reasonText(words, error) : undefined) ?? statusText(words, status)
  if (error instanceof Refusal) return refusalText(reader, error)
  return language === 'en' ? message : statusText(words, status)
}
