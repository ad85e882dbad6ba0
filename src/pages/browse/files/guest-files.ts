import type { MineData } from '../../../common/wire.ts'
import { dataBlock, html } from '../../../lib/html.ts'
import { button, linkButton } from '../../../ui/parts/controls.ts'
import { banner, emptyState } from '../../../ui/parts/states.ts'
import { writePage } from '../../frame.ts'
import type { PageHandler } from '../../page-call.ts'

/** What a guest has uploaded from this browser, which alone knows it. */
export const showGuestFiles: PageHandler = async ({ site, reader }) => {
  const { words, language } = reader
  const data: MineData = {
    language,
    words: { remove: words.mineDelete, forgotten: words.mineForgotten },
  }
  const page = writePage({
    siteName: site.hostname,
    title: `${words.mine} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    isPlain: true,
    styles: ['upload.css'],
    body: html`<div class="page stack" data-island="mine">
<h1>${words.mine}</h1>
<p class="soft">${words.mineText}</p>
<div class="if-plain">${banner(html`<p>${words.mineScript}</p>`)}</div>
<ul class="own-list"></ul>
<p data-if="some" hidden>${button(words.mineForget, { look: 'quiet' })}</p>
<div data-if="empty" hidden>${emptyState({
      title: words.mineEmpty,
      text: words.mineEmptyText,
      action: linkButton(words.upload, '/upload', { icon: 'upload' }),
    })}</div>
${dataBlock(data)}
</div>`,
  })
  return { page }
}
