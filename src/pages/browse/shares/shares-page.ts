import { shareUrlOf } from '../../../http/addresses/public-url.ts'
import { type Html, html } from '../../../lib/html.ts'
import { listOwnShares, mayEditShare, type Privacy, type Share } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { button, codeField, submitButton } from '../../../ui/parts/controls.ts'
import { qrCode } from '../../../ui/parts/qr-code.ts'
import type { FormFaults } from '../../../ui/refusal-words.ts'
import { type PageAnswer, type PageCall, userOf } from '../../page-call.ts'
import { listPage } from '../lists/list-page.ts'
import { optionFields, type ShareFields, type ShareKind } from './share-form.ts'
import { pathOfFileShares, revokeForm, shareList } from './share-list.ts'

/** What the shares of a page open. */
export interface Shared {
  of: 'album' | 'file' | 'files'
  /** Of the album or file. */
  id: string
  /** Of several files. */
  fileIds?: readonly string[]
  title: string
  path: string
  /** Who sees it without a share. */
  privacy: Privacy | 'mixed'
}

export interface FormState {
  kind: ShareKind
  fields: ShareFields
  faults: FormFaults
  /** The share that was just made, or is edited; undefined before there is one. */
  chosen?: Share | undefined
  /** The options are shown. */
  isOpen?: boolean
}

const mostShares = 100

/** The address of the page; its forms go there too. */
export const sharesPath = ({ of, path }: Shared, kind: ShareKind): string =>
  of === 'files' ? pathOfFileShares : `${path}/${kind === 'share' ? 'shares' : 'request'}`

/**
 * A link to one thing in one click, its options, and the other links to it. A script shows what `data-shares` holds in a dialog over
 * another page.
 */
export async function sharesPage(call: PageCall, shared: Shared, state: FormState): Promise<PageAnswer> {
  const { site, reader } = call
  const { words } = reader
  const { kind, chosen, faults } = state
  const { timezone } = await readSettings(site)
  const filter = {
    albumId: shared.of === 'album' ? shared.id : undefined,
    fileId: shared.of === 'album' ? undefined : (shared.fileIds?.[0] ?? shared.id),
  }
  const all = await listOwnShares(site, userOf(call), filter, { after: undefined, limit: mostShares })
  const others = all.filter(
    (share) =>
      share.id !== chosen?.id && isShareOf(share, shared) && (kind === 'share' || share.allowsUpload),
  )
  const path = sharesPath(shared, kind)
  const editPath = (share: Share) => `${path}?share=${share.id}&edit=1`
  const body = html`<div class="sharing" data-shares data-failed="${words.selection.noConnection}">
<p class="soft">${kind === 'share' ? words.shareSeenBy[shared.privacy] : words.requestText}</p>
${linkForm(call, shared, state)}
${others.length === 0 ? undefined : html`<section aria-labelledby="other-shares"><h2 id="other-shares">${kind === 'share' ? words.sharesOf : words.requestsOf}</h2>${shareList(call, { shares: others, timeZone: timezone, editPath, path })}</section>`}
</div>`
  return {
    status: faults.size > 0 ? 400 : 200,
    isSecret: true,
    page: listPage(call, {
      title: kind === 'share' ? words.shareAction : words.requestAction,
      body,
      above: html`<a href="${shared.path}" dir="auto">${shared.title}</a>`,
    }),
  }
}

/** Of the same things, not of more or fewer. */
function isShareOf({ albumId, fileId, fileIds }: Share, { of, id, fileIds: own = [] }: Shared): boolean {
  if (of !== 'files') return (of === 'album' ? albumId : fileId) === id
  return fileIds?.length === own.length && new Set([...fileIds, ...own]).size === own.length
}

/** Before there is a share its button makes one; after that it copies. */
function linkForm(call: PageCall, shared: Shared, { kind, fields, faults, chosen, isOpen }: FormState): Html {
  const { reader } = call
  const path = sharesPath(shared, kind)
  const { words } = reader
  const url = chosen && shareUrlOf(call)(chosen)
  const mayEdit = !chosen || mayEditShare(userOf(call), chosen)
  const send = button(words.shareAction, {
    look: 'plain',
    icon: 'share',
    more: { 'data-send': true, hidden: true },
  })
  const link = chosen
    ? html`${url === undefined ? html`<p>${words.shareLost}</p>` : html`${codeField({ id: 'new-link', label: words.shareLink, text: url, copy: { label: words.shareCopy, name: words.shareCopy } })}${qrCode(url, words.shareQr)}`}`
    : undefined
  const first = chosen ? undefined : submitButton(words.shareCopy, { icon: 'copy' })
  const hasPassword = chosen?.passwordHash !== undefined
  const options = html`<details class="options"${isOpen || faults.size > 0 || kind === 'request' ? html` open` : undefined}><summary>${words.shareOptions}</summary>
<div class="ask">${optionFields(reader, { fields, faults, kind, hasPassword })}
${chosen ? html`<p>${submitButton(words.shareSave, { look: 'plain' })}</p>` : undefined}</div></details>`
  return html`<form method="post" action="${path}" class="share-link" data-saved="${words.shareSaved}">${tokenField(reader)}
${chosen ? html`<input type="hidden" name="id" value="${chosen.id}">` : shared.fileIds && html`<input type="hidden" name="file_ids" value="${shared.fileIds.join()}">`}
${link}
<p class="actions">${first}${url === undefined && chosen ? undefined : send}</p>
${mayEdit ? options : undefined}
</form>
${chosen && revokeForm(call, chosen, shared.of === 'files' ? `${path}?stopped=1` : path)}`
}

/** What the dialog shows after its share was stopped: which files were selected is known to the list below it. */
export function noSharePage(call: PageCall, isStopped: boolean): PageAnswer {
  const { words } = call.reader
  const text = isStopped ? words.shareStopped : words.shareSelect
  const body = html`<div class="sharing" data-shares data-failed="${words.selection.noConnection}"><p>${text}</p></div>`
  const above = html`<a href="/mine">${words.myFiles}</a>`
  return { page: listPage(call, { title: words.shareAction, body, above }) }
}
