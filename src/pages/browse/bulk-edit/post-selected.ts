import { badRequest } from '../../../http/responses/errors.ts'
import { bulkFaults, readBulk } from '../../../http/wire/bulk-changes.ts'
import { faultOf } from '../../../lib/faults.ts'
import { isId } from '../../../lib/ids.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'
import {
  type BulkAction,
  changeFiles,
  expiresAfter,
  isExpiration,
  readShownFiles,
  readUploadChoices,
} from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { ownPath } from '../../own-path.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { faultText, refusalText } from '../../refusal-words.ts'
import { orRefusal } from '../../refused.ts'
import { changesOf, type FieldedAction, fieldedActions } from './change-fields.ts'
import { fieldsPage, linksPage, removalPage, resultPage, type Selected } from './selected-pages.ts'

/** A page has 60 files; its script sends batches of 200 to the API instead. */
const mostSelected = 200

/** Does with the selected files of a list what the button says. Some actions ask first. */
export const postSelected: PageHandler = async (call) => {
  const selected = { ids: idsOf(call.form), back: ownPath(call.form.get('to') ?? '', '/mine') }
  if (selected.ids.length === 0) throw badRequest(call.reader.words.selectNone)
  const action = call.form.get('action') ?? ''
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

const actions = ['copy', ...fieldedActions, 'trash', 'restore', 'remove']

function idsOf(form: URLSearchParams): string[] {
  const ids = [...new Set(form.getAll('id'))]
  if (ids.length > mostSelected)
    throw invalidFields([faultOf('id', 'mostEntries', { most: mostSelected, count: ids.length })])
  if (!ids.every((id) => isId(id))) throw invalidFields([faultOf('id', 'id')])
  return ids
}

async function changeByFields(
  call: PageCall,
  selected: Selected,
  action: FieldedAction,
): Promise<PageAnswer> {
  const { form, site, reader } = call
  const set = form.has('save') ? checkedChanges(call) : {}
  const bulk = action === 'move' ? 'move' : 'edit'
  const isChosen = Object.keys(set).length > 0
  let faults = form.has('save') ? [reader.words.editNothing] : []
  if (isChosen) {
    const broken = bulkFaults({ action: bulk, ids: [...selected.ids], set })
    const changed = broken.length > 0 ? [] : await orRefusal(change(call, selected, { action: bulk, set }))
    if (!Array.isArray(changed) && !(changed instanceof Refusal)) return changed
    faults =
      changed instanceof Refusal
        ? [refusalText(reader, changed)]
        : broken.map((fault) => faultText(reader.words, fault))
  }
  const choices = await readUploadChoices(site, userOf(call))
  return {
    status: faults.length > 0 ? 400 : 200,
    page: fieldsPage(call, selected, { action, choices, faults }),
  }
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

/** Back to the list if all files were changed, else the reasons. */
async function change(call: PageCall, selected: Selected, bulk: Change): Promise<PageAnswer> {
  const input = readBulk({ ...bulk, ids: [...selected.ids] })
  const results = await changeSite(call.app.control, call.site, (site) =>
    changeFiles(site, userOf(call), input),
  )
  if (results.some(({ refusal }) => refusal)) return { page: resultPage(call, selected, results) }
  return { to: bulk.action === 'trash' ? `/mine?trashed=${selected.ids.join('.')}` : selected.back }
}
