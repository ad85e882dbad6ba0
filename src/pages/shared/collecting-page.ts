import type { UploadData } from '../../common/wire.ts'
import { dataBlock, type Html, html } from '../../lib/html.ts'
import { isFull, longestFileText, type Share } from '../../media/index.ts'
import { readSettings } from '../../site/index.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { icon } from '../../ui/parts/icon.ts'
import { banner } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag, writeNumber } from '../../words/format.ts'
import { listPage } from '../browse/lists/list-page.ts'
import type { PageCall } from '../page-call.ts'
import { collectingData } from './collecting-data.ts'
import { sentFiles } from './sent-files.ts'
import type { ShareRequest } from './share-request.ts'

/** The page of a share that takes files and shows none. */
export async function collectingPage(call: PageCall, shareRequest: ShareRequest): Promise<string> {
  const { username, message } = shareRequest.opened.share
  const { form, takesFiles, left } = await collecting(call, shareRequest)
  const title = call.reader.words.requestHeading(username)
  return listPage(call, {
    title,
    description: message,
    about: left,
    takesFiles,
    isPlain: true,
    styles: takesFiles ? ['upload.css'] : [],
    body: form,
  })
}

interface Collecting {
  form: Html
  /** How many files it takes, and until when; the queue reads it again. */
  left: Html
  takesFiles: boolean
}

/** How a share takes files, or why it takes no more. */
export async function collecting(call: PageCall, { opened, token }: ShareRequest): Promise<Collecting> {
  const { reader } = call
  const { words } = reader
  const { share } = opened
  const upload = await collectingData(call, share, token)
  const said = call.query.has('sent')
    ? words.shareSent
    : call.query.has('removed')
      ? words.shareTakenBack
      : undefined
  return {
    takesFiles: upload !== undefined,
    left: html`<div data-left role="status">${await whatIsLeft(call, share)}</div>`,
    form: html`${said && html`<div role="status">${banner(html`${said}`, 'good')}</div>`}
${await sentFiles(call, share)}
${upload && uploadForm(upload, share, reader)}`,
  }
}

async function whatIsLeft({ site, reader }: PageCall, share: Share): Promise<Html | undefined> {
  const { words, language } = reader
  const { maxUploads, uploads, expiresAt } = share
  if (isFull(share)) return banner(html`${words.shareFull}`, 'warn')
  if (maxUploads === undefined && !expiresAt) return undefined
  const { timezone } = await readSettings(site)
  const number = (count: number) => writeNumber(language, count)
  const files =
    maxUploads === undefined ? undefined : words.requestLeft(number(maxUploads - uploads), number(maxUploads))
  const until = files ? words.requestUntil : words.requestEnds
  const end = expiresAt && html`${until} ${timeTag(language, expiresAt, timezone)}`
  return html`<p class="soft">${files}${files && end ? ' · ' : undefined}${end}</p>`
}

/** Without script a form for one file; the queue takes it over. */
const uploadForm = (upload: UploadData, { asksName }: Share, { words }: Reader): Html =>
  html`<div data-island="upload" class="collecting">
<form method="post" action="${upload.sendsAt}" enctype="multipart/form-data">
${
  asksName
    ? textField({
        label: words.requestYourName,
        name: 'contributor',
        hint: words.requestYourNameHint,
        more: { autocomplete: 'name', maxlength: longestFileText.contributor, dir: 'auto' },
      })
    : undefined
}
<div class="drop-zone"><h2 class="if-script if-wide">${words.uploadTitle}</h2>
<label class="button">${icon('upload')}<span>${words.shareFile}</span><input type="file" name="source" accept="image/*,video/*" required></label></div>
<div data-plain>${submitButton(words.shareSend, { icon: 'upload' })}</div>
</form>
<section class="queue" aria-label="${words.queue.uploads}"></section>
<p class="small soft if-script">${words.requestNote}</p>
${dataBlock(upload)}
</div>`
