import { faultOf } from '../../../lib/faults.ts'
import { type Html, html } from '../../../lib/html.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import { changeOwnTrash, type ListedFile, mayRestore } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { banner, emptyState } from '../../../ui/parts/states.ts'
import type { Words } from '../../../words/en.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { selectionForm, trashKeys } from '../bulk-edit/selectable.ts'
import { mineTabs } from '../files/mine-tabs.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { openList } from '../lists/file-list.ts'
import { listPage } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'
import { trashedPath } from '../lists/tiles.ts'
import { titleOf } from '../viewer/title.ts'
import { emptyTrashPage, restPage } from './trash-pages.ts'

/** What was deleted and can still be restored. */
export const getTrash: PageHandler = async (call) => {
  const { words } = call.reader
  const { trash_days: days } = await readSettings(call.site)
  const page = await readFilePage(call, await openList(call, 'trash'))
  const about = mineTabs(call, 'trash')
  if (page.files.length === 0) {
    const body = emptyState({ title: words.trashEmpty, text: words.trashEmptyText(days) })
    return { page: listPage(call, { title: words.trash, about, body }) }
  }
  const removed = page.files.filter(({ file }) => !mayRestore(userOf(call), file))
  // The files of another page may be the owner's to restore.
  const isAllRemoved =
    removed.length === page.files.length && page.first === undefined && page.next === undefined
  const grid = fileGrid(call, page, {
    isAlbum: false,
    isTrash: true,
    hasTrash: days !== '0',
    isRestorable: !isAllRemoved,
  })
  return {
    page: listPage(call, {
      title: words.trash,
      actions: wholeTrash(words, !isAllRemoved),
      keys: trashKeys(words, !isAllRemoved),
      about: html`${about}<p class="soft">${words.trashText(days)}</p>${removedFiles(call, removed)}`,
      body: grid,
    }),
  }
}

/** What administrators and managers have removed, with their reasons. */
function removedFiles({ reader: { words } }: PageCall, removed: readonly ListedFile[]): Html | undefined {
  if (removed.length === 0) return undefined
  const items = removed.map(
    ({ file }) =>
      html`<li><a href="${trashedPath(file)}" dir="auto">${titleOf(file)}</a>${file.removalReason === undefined ? undefined : html`<br><span class="small" dir="auto">${words.removalReasonIs(file.removalReason)}</span>`}</li>`,
  )
  return banner(
    html`<p><strong>${words.removedByStaff}</strong></p><p>${words.removedByStaffText}</p><ul>${items}</ul>`,
    'warn',
  )
}

/** For all files of the trash, selected or not. */
const wholeTrash = (words: Words, isRestorable: boolean): Html => {
  const whole = (action: 'restore' | 'remove') => ({
    form: selectionForm,
    formaction: '/mine/trash',
    name: 'action',
    value: action,
    'data-all': true,
  })
  return html`${isRestorable ? submitButton(words.restoreAll, { look: 'plain', icon: 'undo', more: whole('restore') }) : undefined}
${submitButton(words.emptyTrash, { look: 'plain', icon: 'delete', more: whole('remove') })}`
}

/** Restores the whole trash of the caller, or empties it; that asks first. */
export const postTrash: PageHandler = async (call) => {
  const action = call.form.get('action') ?? ''
  if (action !== 'restore' && action !== 'remove')
    throw invalidFields([faultOf('action', 'oneOf', { words: ['restore', 'remove'] })])
  if (action === 'remove' && !call.form.has('save')) return { page: emptyTrashPage(call) }
  const change = await changeSite(call.app.control, call.site, (site) =>
    changeOwnTrash(site, userOf(call), action),
  )
  const isWhole = !change.hasMore && change.results.every(({ refusal }) => !refusal)
  return isWhole ? { to: '/mine/trash' } : { page: restPage(call, change) }
}
