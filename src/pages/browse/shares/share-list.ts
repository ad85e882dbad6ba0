import { shareUrlOf } from '../../../http/addresses/public-url.ts'
import { type Html, html } from '../../../lib/html.ts'
import {
  isFull,
  isUploadOnly,
  isUsedUp,
  mayEditShare,
  mayEndShare,
  type Share,
} from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { codeField, linkButton, submitButton } from '../../../ui/parts/controls.ts'
import { chip, table } from '../../../ui/parts/lists.ts'
import type { Words } from '../../../words/en.ts'
import { timeTag, writeCount, writeNumber } from '../../../words/format.ts'
import { type PageCall, userOf } from '../../page-call.ts'

/** The page of a share of several files, which the share tells apart. */
export const pathOfFileShares = '/mine/selected/shares'

interface ListedShares {
  shares: readonly Share[]
  timeZone: string
  editPath: (share: Share) => string
  /** Of the page itself. */
  path: string
}

/** The shares of one thing, narrow enough for a dialog. */
export const shareList = (call: PageCall, { shares, timeZone, editPath, path }: ListedShares): Html => {
  const { words } = call.reader
  const items = shares.map(
    (share) => html`<li><h3 dir="auto">${nameOf(call, share)}</h3>
${linkOf(call, share)}
<p class="small soft">${isByReader(call, share) ? undefined : html`<span dir="auto">${words.shareBy(share.username)}</span> · `}${kindOf(words, share)}${chipsOf(words, share)} · ${words.shareEnds}: ${endOf(call, share, timeZone)} · ${words.shareViews}: ${viewsOf(call, share)}</p>
${share.isSuspended ? html`<p class="small soft">${words.shareSuspendedText}</p>` : undefined}
${actionsOf(call, share, { edit: editPath(share), back: path })}</li>`,
  )
  return html`<ul class="shares" aria-labelledby="other-shares">${items}</ul>`
}

/** Shares with their links, what is used of them, and what their owner does with them. */
export function shareTable(call: PageCall, shares: readonly Share[], timeZone: string): Html {
  const { words } = call.reader
  const columns = [
    { name: words.shareName },
    { name: words.shareLink },
    { name: words.shareState },
    { name: words.shareEnds },
    { name: words.shareViews, isNumber: true },
    { name: words.shareActions },
  ]
  const rows = shares
    .map(withTitle)
    .map((share) => [
      thingOf(call, share),
      linkOf(call, share),
      html`<span class="with-chip">${kindOf(words, share)}${chipsOf(words, share)}</span>`,
      endOf(call, share, timeZone),
      viewsOf(call, share),
      actionsOf(call, share, { edit: `/mine/shares/${share.id}`, back: call.reader.path }),
    ])
  return table(words.sharesOf, columns, rows)
}

/** Among shares of other things one without a name goes by what it opens. */
const withTitle = (share: Share): Share =>
  share.name.trim() === '' && share.thing ? { ...share, name: share.thing.title } : share

/** The name of a share, and a link to what it opens. */
function thingOf(call: PageCall, share: Share): Html {
  const { fileIds, thing } = share
  const named = html`<span dir="auto">${nameOf(call, share)}</span>`
  if (fileIds) {
    const files = html`<a href="${pathOfFileShares}?share=${share.id}">${countOf(call, fileIds)}</a>`
    return share.name.trim() === '' ? files : html`${named} ${files}`
  }
  if (!thing) return named
  const link = html`<a href="/${thing.type}/${share.albumId ?? share.fileId}" dir="auto">${thing.title}</a>`
  return share.name === thing.title ? link : html`${named} ${link}`
}

const isByReader = (call: PageCall, { userId }: Share) => userId === userOf(call).userId

function nameOf(call: PageCall, { name, fileIds }: Share): string {
  if (name.trim() !== '') return name
  return fileIds ? countOf(call, fileIds) : call.reader.words.shareUnnamed
}

const countOf = ({ reader: { words, language } }: PageCall, { length }: readonly string[]) =>
  writeCount(language, words.files, length)

const chipsOf = (words: Words, share: Share): Html =>
  html`${share.passwordHash === undefined ? undefined : html` ${chip(words.shareHasPassword)}`}${isFull(share) ? html` ${chip(words.shareFullNow, 'warn')}` : undefined}`

function linkOf(call: PageCall, share: Share): Html {
  const { words } = call.reader
  const url = shareUrlOf(call)(share)
  if (url === undefined) return html`${words.shareLost}`
  return codeField({
    id: `share-${share.id}`,
    label: words.shareLink,
    text: url,
    copy: { label: words.shareCopy, name: words.shareCopyNamed(nameOf(call, share)) },
  })
}

function kindOf({ shareKinds }: Words, share: Share): string {
  if (isUploadOnly(share)) return shareKinds.letterBox
  if (share.allowsUpload) return shareKinds.collect
  return share.allowsDownload ? shareKinds.download : shareKinds.view
}

function endOf({ reader, site }: PageCall, share: Share, timeZone: string): Html {
  const { words, language } = reader
  const { expiresAt } = share
  if (expiresAt && expiresAt <= site.clock.now()) return chip(words.shareEndedNow, 'danger')
  if (share.isSuspended) return chip(words.shareSuspended, 'warn')
  if (isUsedUp(share)) return chip(words.shareUsedUp, 'warn')
  return expiresAt ? timeTag(language, expiresAt, timeZone) : html`${words.shareEndsNever}`
}

function viewsOf({ reader: { words, language } }: PageCall, { views, maxViews }: Share): Html {
  const used = writeNumber(language, views)
  return html`${maxViews === undefined ? used : words.shareUsed(used, writeNumber(language, maxViews))}`
}

/** The buttons for what the reader may do: a maker who has lost the right to share this has none. */
function actionsOf(call: PageCall, share: Share, { edit, back }: { edit: string; back: string }): Html {
  const { words } = call.reader
  const link = mayEditShare(userOf(call), share)
    ? linkButton(words.selectEdit, edit, {
        look: 'plain',
        isDense: true,
        more: { 'aria-label': words.shareEditNamed(nameOf(call, share)), 'data-share-edit': true },
      })
    : undefined
  return html`<div class="actions">${link}${revokeForm(call, share, back)}</div>`
}

/** Ends the share and leads back. */
export function revokeForm(call: PageCall, share: Share, back: string): Html | undefined {
  const { reader } = call
  const { words } = reader
  if (!mayEndShare(userOf(call), share)) return undefined
  const name = share.name.trim() === '' ? {} : { 'aria-label': words.shareRevokeNamed(share.name) }
  return html`<form method="post" action="/mine/shares/${share.id}/revoke">${tokenField(reader)}<input type="hidden" name="to" value="${back}">${submitButton(words.shareRevoke, { look: 'plain', isDense: true, more: name })}</form>`
}
