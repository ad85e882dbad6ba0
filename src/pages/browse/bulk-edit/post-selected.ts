import { badRequest } from '../../../http/responses/errors.ts'
import { albumFaults } from '../../../http/wire/albums.ts'
import { bulkFaults, readBulk } from '../../../http/wire/bulk-changes.ts'
import { type Fault, faultOf } from '../../../lib/faults.ts'
import { isId } from '../../../lib/ids.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'
import {
  type BulkAction,
  type BulkResult,
  changeFiles,
  expiresAfter,
  isExpiration,
  mostSharedFiles,
  moveToNewAlbum,
  readShownFiles,
  readUploadChoices,
} from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { ownPath } from '../../../ui/own-path.ts'
import {
  type FormFaults,
  faultsInWords,
  noFaults,
  refusalText,
  wholeForm,
} from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { selectedFiles } from '../shares/shared-things.ts'
import { showShares } from '../shares/shares.ts'
import { changesOf, type FieldedAction, fieldedActions } from './change-fields.ts'
import { fieldsPage, linksPage, removalPage, resultPage, type Selected } from './selected-pages.ts'

/** A page has 60 files; its script sends batches of 200 to the API instead. */
const mostSelected = 200

/** Does with the selected files of a list what the button says. Some actions ask first. */
export const postSelected: PageHandler = async (call) => {
  const action = call.form.get('action') ?? ''
  const ids = idsOf(call.form, action === 'share' ? mostSharedFiles : mostSelected)
  const selected = { ids, back: ownPath(call.form.get('to') ?? '', '/mine') }
  if (ids.length === 0) throw badRequest(call.reader.words.selectNone)
  if (action === 'share') return showShares(call, await selectedFiles(call, ids), { kind: 'share' })
  if (action === 'copy') {
    const files = await readShownFiles(call.site, userOf(call), selected.ids)
    return { page: linksPage(call, selected, files) }
  }
  const fielded = fieldedActions.find((each) => each === action)
  if (fielded) return changeByFields(call, selected, fielded)
  if (action === 'restore') return change(call, selected, { action })
  if (action !== 'trash' && action !== 'remove')
    throw invalidFields([faultOf('action', 'oneOf', { words: actions })])
  const isForGood = action === 'remove' || (await readSettings(call.site)).trash_days === '0'
  if (isForGood && !call.form.has('save')) return { page: removalPage(call, selected) }
  return change(call, selected, { action: isForGood ? 'remove' : 'trash' })
}

const actions = ['copy', 'share', ...fieldedActions, 'trash', 'restore', 'remove']

/** `id` for each, or `ids` with commas between them, as the script sends them. */
function idsOf(form: URLSearchParams, most: number): string[] {
  const listed = (form.get('ids') ?? '').split(',').filter((id) => id !== '')
  const ids = [...new Set([...form.getAll('id'), ...listed])]
  if (ids.length > most) throw invalidFields([faultOf('id', 'mostEntries', { most, count: ids.length })])
  if (!ids.every((id) => isId(id))) throw invalidFields([faultOf('id', 'id')])
  return ids
}

async function changeByFields(
  call: PageCall,
  selected: Selected,
  action: FieldedAction,
): Promise<PageAnswer> {
  const { form, site } = call
  const faults = form.has('save') ? await changeOrFaults(call, selected, action) : noFaults
  if (!isFaults(faults)) return faults
  const choices = await readUploadChoices(site, userOf(call))
  return {
    status: faults.size > 0 ? 400 : 200,
    page: fieldsPage(call, selected, { action, choices, faults }),
  }
}

const isFaults = (answer: PageAnswer | FormFaults): answer is FormFaults => answer instanceof Map

/** Makes the change of the form, or says what is wrong with which field. */
async function changeOrFaults(
  call: PageCall,
  selected: Selected,
  action: FieldedAction,
): Promise<PageAnswer | FormFaults> {
  const { form, reader } = call
  const title = action === 'move' ? (form.get('new_album')?.trim() ?? '') : ''
  const set = checkedChanges(call)
  if (title === '' && Object.keys(set).length === 0) return wholeForm(reader.words.editNothing)
  const bulk = { action: action === 'move' ? 'move' : 'edit', set } as const
  const broken =
    title === ''
      ? bulkFaults({ ...bulk, ids: [...selected.ids] }).map(ofField)
      : albumFaults({ title }).map(ofTitle)
  if (broken.length > 0) return faultsInWords(reader.words, broken)
  const changed = await orRefusal(
    title === '' ? change(call, selected, bulk) : moveIntoNew(call, selected, title),
  )
  if (!(changed instanceof Refusal)) return changed
  const faults = changed.faults.map(title === '' ? ofField : ofTitle)
  return faults.length > 0 ? faultsInWords(reader.words, faults) : wholeForm(refusalText(reader, changed))
}

/** The field of the form: the API has all of them below `set`, and the end of a file in place of its lifetime. */
const ofField = (fault: Fault): Fault => ({
  ...fault,
  field: fault.field.replace(/^set\./, '').replace('expires_at', 'expiration'),
})

const ofTitle = (fault: Fault): Fault => ({ ...fault, field: 'new_album' })

async function moveIntoNew(call: PageCall, selected: Selected, title: string): Promise<PageAnswer> {
  const results = await changeSite(call.app.control, call.site, (site) =>
    moveToNewAlbum(site, userOf(call), { title, ids: selected.ids }),
  )
  return answerOf(call, selected, results, selected.back)
}

function checkedChanges({ form, site }: PageCall): Record<string, unknown> {
  const category = form.get('category_id') ?? 'keep'
  if (!/^(keep|none|\d{1,9})$/.test(category)) throw invalidFields([faultOf('category_id', 'category')])
  return changesOf(form, (duration) => {
    if (!isExpiration(duration)) throw invalidFields([faultOf('expiration', 'duration')])
    return expiresAfter(site.clock.now(), duration)
  })
}

interface Change {
  action: BulkAction
  set?: Record<string, unknown>
}

async function change(call: PageCall, selected: Selected, bulk: Change): Promise<PageAnswer> {
  const input = readBulk({ ...bulk, ids: [...selected.ids] })
  const results = await changeSite(call.app.control, call.site, (site) =>
    changeFiles(site, userOf(call), input),
  )
  const to = bulk.action === 'trash' ? `/mine?trashed=${selected.ids.join('.')}` : selected.back
  return answerOf(call, selected, results, to)
}

/** Back to the list if all files were changed, else the reasons. */
function answerOf(
  call: PageCall,
  selected: Selected,
  results: readonly BulkResult[],
  to: string,
): PageAnswer {
  return results.some(({ refusal }) => refusal) ? { page: resultPage(call, selected, results) } : { to }
}
