import { type Html, html } from '../../../lib/html.ts'
import { isId } from '../../../lib/ids.ts'
import { bindingStorage, readAllowance } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { banner, meter } from '../../../ui/parts/states.ts'
import { writeCount, writeSize } from '../../../words/format.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { readSelectable, selectionKeys } from '../bulk-edit/selectable.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { openList } from '../lists/file-list.ts'
import { fileChips, listPage, noFiles, uploadButton } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'
import { mineTabs } from './mine-tabs.ts'

/** The caller's own files, whatever their privacy. */
export const getMine: PageHandler = async (call) => {
  const { words } = call.reader
  const page = await readFilePage(call, await openList(call, 'mine'))
  const body =
    page.files.length === 0
      ? noFiles(call, words.noFilesOfMine, uploadButton(call.reader, '/upload'))
      : fileGrid(call, page, await readSelectable(call, { isAlbum: false }))
  const trashed = trashedIds(call.query.get('trashed') ?? '')
  const about = html`${trashed.length > 0 ? undoBanner(call, trashed) : undefined}${mineTabs(call, 'files')}${await roomOf(call)}${fileChips(call, page, ['newest', 'oldest', 'popular', 'liked'])}`
  return { page: listPage(call, { title: words.myFiles, about, body, keys: selectionKeys(words) }) }
}

/** How much room the files of the site need, or those of the user if they have less, and how much is left. */
async function roomOf(call: PageCall): Promise<Html | undefined> {
  const { words, language } = call.reader
  const storage = bindingStorage(await readAllowance(call.site, userOf(call), { keyCount: 0 }))
  if (!storage) return undefined
  const { value: limit, reserved = 0 } = storage
  const used = storage.used + reserved
  const write = (bytes: number) => writeSize(language, bytes)
  const text =
    limit === undefined
      ? words.roomUsed(write(used))
      : words[storage.name === 'SERVICE_MAX_STORAGE' ? 'roomLeft' : 'ownRoomLeft'](
          write(used),
          write(limit),
          write(Math.max(0, limit - used)),
        )
  return html`<div class="room soft">${meter({ label: words.storageLabel, used, limit, text })}</div>`
}

const mostTrashed = 60

/** Ids with dots between them. */
const trashedIds = (text: string): string[] => text.split('.').filter(isId).slice(0, mostTrashed)

/** The way back of the last deletion. */
const undoBanner = ({ reader }: PageCall, ids: readonly string[]): Html =>
  banner(
    html`<form method="post" action="/mine/selected" class="undo">${tokenField(reader)}${ids.map(
      (id) => html`<input name="id" value="${id}" type="hidden">`,
    )}<input name="to" value="/mine" type="hidden"><input name="action" value="restore" type="hidden">${ids.length === 1 ? reader.words.trashedOne : writeCount(reader.language, reader.words.trashedMany, ids.length)} ${submitButton(reader.words.undo, { look: 'plain', isDense: true, icon: 'undo' })}</form>`,
  )
