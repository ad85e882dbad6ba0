import { html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { writePage } from '../../frame.ts'
import { logInPath } from '../../guard.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { linkButton } from '../../parts/controls/button.ts'
import { mark } from '../../parts/mark.ts'

/** A page with a list of others' files. Where the setting `listing` hides it, guests are led to the log-in or told why. */
export const ofListing =
  (handle: PageHandler): PageHandler =>
  async (call) => {
    try {
      return await handle(call)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'members-only') return { to: logInPath(call.reader.path), status: 302 }
      if (error.code === 'listing-off') return closedPage(call)
      throw error
    }
  }

function closedPage({ site, reader, session }: PageCall): PageAnswer {
  const { words, path } = reader
  const next = session
    ? linkButton(words.myFiles, '/mine', { look: 'plain' })
    : linkButton(words.logIn, logInPath(path), { look: 'plain' })
  return {
    status: 404,
    page: writePage({
      siteName: site.hostname,
      title: `${words.error404} - ${site.hostname}`,
      head: html`<meta name="robots" content="noindex">`,
      reader,
      body: html`<div class="question">${mark('steps')}
<h1>${words.listingOff}</h1>
<p>${words.listingOffText}</p>
<p>${next}</p>
</div>`,
    }),
  }
}
