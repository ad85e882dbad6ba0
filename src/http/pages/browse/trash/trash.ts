import { changeOwnTrash } from '../../../../media/index.ts'
import { readSettings } from '../../../../site/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { badRequest } from '../../../responses/errors.ts'
import { type Html, html } from '../../../responses/html.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { submitButton } from '../../parts/controls/button.ts'
import { emptyState } from '../../parts/states/empty-state.ts'
import type { Words } from '../../words/en.ts'
import { mineTabs } from '../files/mine-tabs.ts'
import { openList } from '../lists/file-list.ts'
import { readFilePage } from '../lists/read-page.ts'
import { selectionForm, trashKeys } from '../order/selectable.ts'
import { fileGrid } from '../parts/file-grid.ts'
import { listPage } from '../parts/list-page.ts'
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
  const grid = fileGrid(call, page, { isAlbum: false, isTrash: true, hasTrash: days !== '0' })
  return {
    page: listPage(call, {
      ...{ title: words.trash, actions: wholeTrash(words), keys: trashKeys(words) },
      about: html`${about}<p class="soft">${words.trashText(days)}</p>`,
      body: grid,
    }),
  }
}

/** For all files of the trash, selected or not. */
const wholeTrash = (words: Words): Html => {
  const whole = (action: 'restore' | 'remove') => ({
    ...{ form: selectionForm, formaction: '/mine/trash', name: 'action', value: action, 'data-all': true },
  })
  return html`${submitButton(words.restoreAll, { look: 'plain', icon: 'undo', more: whole('restore') })}
${submitButton(words.emptyTrash, { look: 'plain', icon: 'delete', more: whole('remove') })}`
}

/** Restores the whole trash of the caller, or empties it; that asks first. */
export const postTrash: PageHandler = async (call) => {
  const action = call.form.get('action') ?? ''
  if (action !== 'restore' && action !== 'remove') throw badRequest('action: must be restore or remove')
  if (action === 'remove' && !call.form.has('save')) return { page: emptyTrashPage(call) }
  const change = await changeSite(
    call.app.control,
    call.site,
    (site) => changeOwnTrash(site, userOf(call), action),
    { isPartial: true },
  )
  const isWhole = !change.hasMore && change.results.every(({ refusal }) => !refusal)
  return isWhole ? { to: '/mine/trash' } : { page: restPage(call, change) }
}
