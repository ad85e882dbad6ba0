import { selectBoxAttributes } from '../../../common/tile.ts'
import type { SelectionData } from '../../../common/wire.ts'
import { attributes, type Html, html } from '../../../lib/html.ts'
import { mostSharedFiles, readUploadChoices, type UploadChoices } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { tokenField } from '../../../ui/form.ts'
import type { PageKey } from '../../../ui/keys.ts'
import { button, dialog, submitButton } from '../../../ui/parts/controls.ts'
import type { IconName } from '../../../ui/parts/icon.ts'
import type { Words } from '../../../words/en.ts'
import { type PageCall, userOf } from '../../page-call.ts'
import { mostZipped } from '../albums/send-zip.ts'
import { shareDialog } from '../shares/share-button.ts'
import { changeFields, type FieldedAction, fieldedActions } from './change-fields.ts'

/** A list whose files the caller may change. */
export interface Selectable {
  isAlbum: boolean
  /** Its files are restored or removed for good, and not edited. */
  isTrash: boolean
  /** Files that are deleted can be restored. */
  hasTrash: boolean
  /** Of a trash: false if all its files were removed by the staff, who alone restores them. */
  isRestorable?: boolean
  /** Of the dialogs that edit files. */
  choices?: UploadChoices
}

/** The check box of a file. */
export const selectBox = (words: Words, { id, title }: { id: string; title: string }): Html =>
  html`<input${attributes(selectBoxAttributes({ id, title }, words.selectFile('#')))}>`

export const selectionData = (words: Words, { isAlbum, isTrash, hasTrash }: Selectable): SelectionData => ({
  isAlbum,
  hasTrash,
  mostShared: mostSharedFiles,
  mostZipped,
  reasons: {
    'not-found': words.refusals['file-not-found']({}),
    forbidden: words.refusals[isTrash ? 'removed-by-staff' : 'not-your-file']({}),
    conflict: words.refusals[isTrash ? 'not-in-trash' : 'file-in-trash']({}),
    'version-differs': words.refusals['version-differs']({}),
    'limit-reached': words.selection.limitReached,
  },
  label: words.selectFile('#'),
  words: words.selection,
})

interface Action {
  action: string
  label: string
  icon: IconName
  key?: string
  look?: 'quiet' | 'danger'
  /** Where the form goes; the usual address by default. */
  to?: string
}

/** Appears with the first file that is selected. Without script its buttons send the form. */
const bar = (words: Words, actions: readonly Action[]): Html =>
  html`<div class="select-bar" role="group" aria-label="${words.selectBar}"><output class="select-count"></output>${button('', { look: 'quiet', isDense: true, more: { 'data-select-all': true, hidden: true } })}${actions.map(
    ({ action, label, icon, key, look = 'quiet', to }) =>
      submitButton(label, {
        look,
        icon,
        isDense: true,
        more: { name: 'action', value: action, formaction: to, 'aria-keyshortcuts': key },
      }),
  )}${button(words.keyClear, { look: 'quiet', icon: 'close', hasOnlyIcon: true, isDense: true, more: { 'data-clear': true, hidden: true } })}</div>`

/** The id of the form around a list, for buttons that stand elsewhere. */
export const selectionForm = 'selection'

/** What stands in the form around a list: where it leads back to, and the bar. */
export const selectionBar = ({ reader }: PageCall, { isTrash, isRestorable = true }: Selectable): Html =>
  html`${tokenField(reader)}<input type="hidden" name="to" value="${reader.path}">${bar(reader.words, isTrash ? trashActions(reader.words, isRestorable) : actionsOf(reader.words))}`

const actionsOf = (words: Words): Action[] => [
  { action: 'copy', label: words.selectCopy, icon: 'copy', key: 'c' },
  { action: 'share', label: words.shareAction, icon: 'share' },
  { action: 'move', label: words.selectMove, icon: 'albums', key: 'm' },
  { action: 'tags', label: words.selectTags, icon: 'tag', key: 't' },
  { action: 'edit', label: words.selectEdit, icon: 'edit' },
  { action: 'zip', label: words.selectZip, icon: 'download', key: 'd', to: '/-/zip' },
  { action: 'trash', label: words.selectTrash, icon: 'delete', key: 'Delete' },
]

const trashActions = (words: Words, isRestorable: boolean): Action[] => [
  ...(isRestorable ? [{ action: 'restore', label: words.restore, icon: 'undo', key: 'r' } as const] : []),
  { action: 'remove', label: words.selectRemove, icon: 'delete', key: 'Delete' },
]

/** Opened by the script; the page of `POST /mine/selected` has the same fields. */
export function selectionDialogs({ reader }: PageCall, { choices }: Selectable): Html {
  const { words } = reader
  const close = words.cancel
  const form = (action: FieldedAction, choices: UploadChoices) =>
    dialog({
      id: `select-${action}`,
      title: titleOf(words, action),
      close,
      content: html`<form method="dialog" class="ask">${changeFields({ action, choices, reader })}<p class="actions">${submitButton(saveOf(words, action), { more: { value: 'save' } })}</p></form>`,
    })
  const ask = dialog({
    id: 'select-ask',
    title: words.selectBar,
    close,
    content: html`<form method="dialog" class="actions">${submitButton(words.selection.rangeYes, { more: { value: 'yes' } })}${submitButton(close, { look: 'plain', more: { value: '' } })}</form>`,
  })
  return html`${choices ? html`${fieldedActions.map((action) => form(action, choices))}${shareDialog({ of: 'files', words })}` : undefined}${ask}`
}

export const titleOf = (words: Words, action: FieldedAction): string =>
  ({ move: words.moveTitle, tags: words.tagsTitle, edit: words.editTitle })[action]

export const saveOf = (words: Words, action: FieldedAction): string =>
  action === 'move' ? words.moveSave : words.changesSave

const selectingKeys = (words: Words): PageKey[] => [
  { key: 'x', does: words.keySelect },
  { key: 'Ctrl A', does: words.keySelectAll },
  { key: 'Esc', does: words.keyClear },
]

export const trashKeysOfFile = (words: Words, isRestorable: boolean): PageKey[] => [
  ...(isRestorable ? [{ key: 'r', does: words.trashKeyRestore }] : []),
  { key: 'Delete', does: words.trashKeyRemove },
]

export const trashKeys = (words: Words, isRestorable: boolean): PageKey[] => [
  ...selectingKeys(words),
  ...trashKeysOfFile(words, isRestorable),
  { key: 'Ctrl Z', does: words.keyUndo },
]

export const selectionKeys = (words: Words): PageKey[] => [
  ...selectingKeys(words),
  { key: 'c', does: words.keyCopy },
  { key: 'm', does: words.keyMove },
  { key: 't', does: words.keyTags },
  { key: 'd', does: words.keyZip },
  { key: 'Delete', does: words.keyTrash },
  { key: 'Ctrl Z', does: words.keyUndo },
]

/** What the bar of a list offers to its owner. */
export async function readSelectable(
  call: PageCall,
  { isAlbum }: Pick<Selectable, 'isAlbum'>,
): Promise<Selectable> {
  const [choices, { trash_days: days }] = await Promise.all([
    readUploadChoices(call.site, userOf(call)),
    readSettings(call.site),
  ])
  return { isAlbum, isTrash: false, hasTrash: days !== '0', choices }
}
