import type { ErrorForm } from '../http/send-error.ts'
import { html } from '../lib/html.ts'
import { Refusal } from '../lib/refusal.ts'
import { setPageHeaders } from '../ui/headers.ts'
import { linkButton } from '../ui/parts/controls.ts'
import { readerOf } from '../ui/reader.ts'
import { refusalText, statusText, titledStatus } from '../ui/refusal-words.ts'
import { consolePath } from './console-call.ts'
import { questionPage } from './frame.ts'
import { isConsolePath } from './guard.ts'

/** Errors of the console for browsers. On other hosts its addresses do not exist: there the guard has set no reader. */
export const consoleErrorForm: ErrorForm = {
  fits: ({ url, headers, reader }) =>
    isConsolePath(url) && reader !== undefined && /\btext\/html\b/.test(headers.accept ?? ''),
  write: (app, request, reply, { error, response: { body, headers, incident } }) => {
    setPageHeaders(app, request, reply).header('cache-control', 'no-store')
    const reader = request.reader ?? readerOf(request)
    const { words, language } = reader
    const { status_code: status, error: told } = body
    const other = language === 'en' ? told.message : statusText(words, status)
    const isRepeatable = headers['retry-after'] !== undefined && request.method === 'GET'
    const [label, path] = isRepeatable
      ? [words.tryAgain, reader.path]
      : [words.consoleToOverview, consolePath()]
    return questionPage(reader, {
      title: words[`error${titledStatus(status)}`],
      content: html`<p>${error instanceof Refusal ? refusalText(reader, error) : other}</p>
${incident === undefined || language === 'en' ? undefined : html`<p class="soft">${words.incident} <span class="incident">${incident}</span></p>`}
<p>${linkButton(label, path, { look: 'plain' })}</p>`,
    })
  },
}
