import type { UploadData } from '../../common/wire.ts'
import { dataBlock, type Html, html } from '../../lib/html.ts'
import { isFull, readAlbumTitle } from '../../media/index.ts'
import type { Words } from '../../words/en.ts'
import { listPage } from '../browse/lists/list-page.ts'
import type { PageCall } from '../page-call.ts'
import { submitButton } from '../parts/controls.ts'
import { icon } from '../parts/icon.ts'
import { banner } from '../parts/states.ts'
import { collectingData } from './collecting-data.ts'
import type { Visit } from './share-request.ts'

/** The page of a share that takes files and shows none. */
export async function collectingPage(call: PageCall, visit: Visit): Promise<string> {
  const { markup, takesFiles, styles } = await collecting(call, visit)
  const title = await readAlbumTitle(call.site, visit.opened.share.albumId ?? '')
  return listPage(call, { title, takesFiles, styles, body: markup })
}

interface Collecting {
  markup: Html
  takesFiles: boolean
  styles: readonly 'upload.css'[]
}

/** How a share takes files, or why it takes no more. */
export async function collecting(call: PageCall, { opened, token }: Visit): Promise<Collecting> {
  const { words } = call.reader
  const { share } = opened
  const upload = await collectingData(call, share, token)
  return {
    takesFiles: upload !== undefined,
    styles: upload ? ['upload.css'] : [],
    markup: html`${call.query.has('sent') ? html`<div role="status">${banner(html`${words.shareSent}`, 'good')}</div>` : undefined}
${isFull(share) ? banner(html`${words.shareFull}`, 'warn') : undefined}
${upload && uploadForm(upload, words)}`,
  }
}

/** Without script a form for one file; the queue takes it over. */
const uploadForm = (
  upload: UploadData,
  words: Words,
): Html => html`<div data-island="upload" class="collecting">
<form method="post" action="${upload.sendsAt}" enctype="multipart/form-data">
<div class="drop-zone"><h2 class="if-script if-wide">${words.uploadTitle}</h2>
<label class="button">${icon('upload')}<span>${words.shareFile}</span><input type="file" name="source" accept="image/*,video/*" required></label></div>
<div data-plain>${submitButton(words.shareSend, { icon: 'upload' })}</div>
</form>
<section class="queue" aria-label="${words.queue.uploads}"></section>
${dataBlock(upload)}
</div>`
