import type { Provider } from '../accounts/index.ts'
import { html } from '../lib/html.ts'
import { mark } from '../ui/parts/icon.ts'
import type { Reader } from '../ui/reader.ts'
import { logInButtons, logInForm, openLine } from './account/log-in/log-in.ts'
import { writePage } from './frame.ts'

interface Home {
  siteName: string
  reader: Reader
  /** Others can read what is sent. */
  isUnencrypted: boolean
  providers: readonly Pick<Provider, 'name' | 'title'>[]
}

/** The front page for guests of a site that takes no uploads of theirs. */
export function homePage({ siteName, reader, isUnencrypted, providers }: Home): string {
  const { words } = reader
  const form = { siteName, reader, login: '', isLasting: false, to: '/', isUnencrypted, providers }
  return writePage({
    siteName,
    title: siteName,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question home">
${mark('steps')}
<h1>${siteName}</h1>
<p>${words.homeLogIn}</p>
${isUnencrypted ? openLine(words) : undefined}
${logInForm(form)}
${logInButtons(form)}
</div>`,
  })
}
