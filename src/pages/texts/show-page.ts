import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { noSuchPage, type Page, readPage, renderedText, urlKeyFault } from '../../media/index.ts'
import { banner } from '../../ui/parts/states.ts'
import { callerOf } from '../browse/lists/file-list.ts'
import { writePage } from '../frame.ts'
import type { PageAnswer, PageCall, PageHandler } from '../page-call.ts'

/** A page that an administrator has written; a hidden one is shown to administrators alone. */
export const showPage: PageHandler = async (call) => {
  const { key = '' } = call.params
  if (urlKeyFault(key) !== undefined) throw noSuchPage(key.slice(0, 64))
  return answerPage(call, await readPage(call.site, callerOf(call), key))
}

/** A text of before the limit of time that takes longer is shown with its marks. */
const asWritten = (body: string) => (error: unknown) => {
  if (error instanceof Refusal && error.kind === 'invalid') return html`<pre dir="auto">${body}</pre>`
  throw error
}

export async function answerPage(call: PageCall, { title, body, isVisible }: Page): Promise<PageAnswer> {
  const { words } = call.reader
  const note = isVisible ? undefined : banner(html`<p>${words.pageHiddenText}</p>`, 'warn')
  const text = await renderedText(call.site, body, words.tableOfPage).catch(asWritten(body))
  return { page: textPage(call, { title, body: text, note, isListed: isVisible }) }
}

interface TextPage {
  title: string
  body: Html
  /** Between title and text. */
  note?: Html | undefined
  /** Search engines may show it. */
  isListed: boolean
}

/** A page to read. */
export const textPage = ({ site, reader }: PageCall, { title, body, note, isListed }: TextPage): string =>
  writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: isListed ? html`` : html`<meta name="robots" content="noindex">`,
    reader,
    isPlain: true,
    body: html`<article class="page text">
<h1 dir="auto">${title}</h1>
${note}
${body}
</article>`,
  })
