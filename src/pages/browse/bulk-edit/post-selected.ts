import { badRequest } from '../../../http/responses/errors.ts'
import { bulkFaults, readBulk } from '../../../http/wire/bulk-changes.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
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
    throw badRequest('action: must be copy, move, tags, edit, trash, restore or remove')
  const isForGood = action === 'remove' || (await readSettings(call.site)).trash_days === '0'
  if (isForGood && !call.form.has('save')) return { page: removalPage(call, selected) }
  return change(call, selected, { action: isForGood ? 'remove' : 'trash' })
}

function idsOf(form: URLSearchParams): string[] {
  const ids = [...new Set(form.getAll('id'))]
  if (ids.length > mostSelected)
    throw badRequest(`id: at most ${mostSelected} files can be selected, not ${ids.length}`)
  if (!ids.every((id) => isId(id))) throw badRequest('id: must be an id of letters and digits')
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
  const faults = isChosen
    ? bulkFaults({ action: bulk, ids: [...selected.ids], set })
    : form.has('save')
      ? [reader.words.editNothing]
      : []
  if (isChosen && faults.length === 0) {
    const changed = await orRefusal(change(call, selected, { action: bulk, set }))
    if (!(changed instanceof Refusal)) return changed
    faults.push(changed.message)
  }
  const choices = await readUploadChoices(site, userOf(call))
  return {
    status: faults.length > 0 ? 400 : 200,
    page: fieldsPage(call, selected, { action, choices, faults }),
  }
}

function checkedChanges({ form, site }: PageCall): Record<string, unknown> {
  const category = form.get('category_id') ?? 'keep'
  if (!/^(keep|none|\d{1,9})$/.test(category))
    throw badRequest('category_id: must be a category of this site')
  return changesOf(form, (duration) => {
    if (!isExpiration(duration)) throw badRequest('expiration: must be one of the choices of the form')
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
