import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { faultsIf } from '../../../lib/faults.ts'
import { type Html, html } from '../../../lib/html.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  createPage,
  editPage,
  noSuchPage,
  otherVersion,
  type Page,
  pageBodyFault,
  pageTitleFault,
  readPage,
  removePage,
  renderedText,
  urlKeyFault,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { differingFields, readChoices } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { linkButton, submitButton } from '../../../ui/parts/controls.ts'
import { faultsInWords, faultText, refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage } from '../dashboard-frame.ts'
import {
  fieldsOfForm,
  fieldsOfPage,
  isTemplateKey,
  type PageFaults,
  type PageFormFields,
  pageForm,
  pageOfTemplate,
} from './page-form.ts'

interface Shown {
  fields: PageFormFields
  faults?: PageFaults
  open?: readonly string[]
  preview?: Html
}

/** Empty, or filled with a page to begin with. */
export const showNewPage: PageHandler = async (call) => {
  const from = call.query.get('from') ?? ''
  const begun = isTemplateKey(from)
    ? { urlKey: from, ...pageOfTemplate(call.reader.words, from) }
    : { urlKey: '', title: '', body: '' }
  return { page: newPage(call, { fields: { ...begun, isVisible: false, version: '' } }) }
}

export const postNewPage: PageHandler = async (call) => {
  const fields = fieldsOfForm(call.form)
  if (isPreview(call)) {
    const shown = await previewOf(call, fields)
    return { page: newPage(call, shown), status: statusOf(shown) }
  }
  const faults = await faultsOf(call, fields)
  if (hasFault(faults)) return { page: newPage(call, { fields, faults }), status: 400 }
  const { version: _, ...input } = fields
  const made = await orRefusal(
    changeSite(call.app.control, call.site, (site) => createPage(site, userOf(call), input)),
  )
  if (!(made instanceof Refusal)) return { to: '/dashboard/pages?saved=1' }
  const { status, headers } = responseOfRefusal(made)
  return { page: newPage(call, { fields, faults: faultsOfRefusal(call, made) }), status, headers }
}

export const showEditPage: PageHandler = async (call) => {
  const page = await pageOf(call)
  return { page: editedPage(call, page, { fields: fieldsOfPage(page) }) }
}

/** Changes a page. If it was changed since the form was opened, the person chooses between both texts first. */
export const postEditPage: PageHandler = async (call) => {
  const page = await pageOf(call)
  const { fields, open, isChoice } = readChoices(call.form, fieldsOfForm(call.form), fieldsOfPage(page))
  if (isPreview(call)) {
    const shown = await previewOf(call, fields)
    return { page: editedPage(call, page, { ...shown, open }), status: statusOf(shown) }
  }
  if (isChoice) return { page: editedPage(call, page, { fields, open }) }
  if (open.length > 0) {
    const faults = { form: call.reader.words.conflictOpen }
    return { page: editedPage(call, page, { fields, faults, open }), status: 400 }
  }
  const faults = await faultsOf(call, fields)
  if (hasFault(faults)) return { page: editedPage(call, page, { fields, faults }), status: 400 }
  const { version, ...edit } = fields
  const change = { name: page.id, edit, checkVersion: checkVersion(version) }
  const edited = await orRefusal(
    changeSite(call.app.control, call.site, (site) => editPage(site, userOf(call), change)),
  )
  if (!(edited instanceof Refusal)) return { to: '/dashboard/pages?saved=1' }
  return refusedEdit(call, fields, edited)
}

/** The text stays; after another's change the form holds the new version, and the person chooses. */
async function refusedEdit(call: PageCall, fields: PageFormFields, refusal: Refusal): Promise<PageAnswer> {
  const page = await pageOf(call)
  const { status, headers } = responseOfRefusal(refusal)
  const shown = {
    fields: { ...fields, version: String(page.version) },
    faults: faultsOfRefusal(call, refusal),
    open: refusal.code === 'version-differs' ? differingFields(fields, fieldsOfPage(page)) : [],
  }
  return { page: editedPage(call, page, shown), status, headers }
}

export const showDeletePage: PageHandler = async (call) => {
  const page = await pageOf(call)
  const { words } = call.reader
  const body = html`<form method="post" class="ask">${tokenField(call.reader)}<input name="version" value="${page.version}" type="hidden">
<p><strong dir="auto">${page.title}</strong></p>
<p>${words.pageDeleteText}</p>
<p class="actions">${submitButton(words.pageDelete, { look: 'danger', icon: 'delete' })}${linkButton(words.pageKeep, '/dashboard/pages', { look: 'plain' })}</p>
</form>`
  return {
    page: dashboardPage(call, { part: '/dashboard/pages', title: words.pageDeleteTitle, content: body }),
  }
}

export const postDeletePage: PageHandler = async (call) => {
  const { id } = await pageOf(call)
  const removal = { name: id, checkVersion: checkVersion(call.form.get('version') ?? '') }
  await changeSite(call.app.control, call.site, (site) => removePage(site, userOf(call), removal))
  return { to: '/dashboard/pages?saved=1' }
}

const isPreview = ({ form }: PageCall) => form.get('action') === 'preview'

/** The text as it will be shown, or why it cannot be. */
async function previewOf({ site, reader }: PageCall, fields: PageFormFields): Promise<Shown> {
  const { words } = reader
  const fault = pageBodyFault(fields.body)
  if (fault !== undefined) return { fields, faults: { body: faultText(words, fault) } }
  const preview = await orRefusal(renderedText(site, fields.body, words.tableOfPage))
  if (!(preview instanceof Refusal)) return { fields, preview }
  if (preview.kind !== 'invalid') throw preview
  return { fields, faults: { body: refusalText(reader, preview) } }
}

/** A preview with a fault is refused as its form would be. */
const statusOf = ({ faults }: Shown) => (faults ? 400 : 200)

const checkVersion = (expected: string) => (version: number) => {
  if (expected !== String(version)) throw otherVersion(version)
}

function pageOf(call: PageCall): Promise<Page> {
  const { id = '' } = call.params
  if (!isId(id)) throw noSuchPage(id.slice(0, 64))
  return readPage(call.site, userOf(call), id)
}

function newPage(call: PageCall, { fields, faults = {}, preview }: Shown): string {
  const body = pageForm(call, { fields, faults, preview })
  return dashboardPage(call, { part: '/dashboard/pages', title: call.reader.words.pageNew, content: body })
}

function editedPage(call: PageCall, page: Page, { fields, faults = {}, open, preview }: Shown): string {
  const { words } = call.reader
  const body = html`${pageForm(call, { fields, faults, open, theirs: fieldsOfPage(page), preview })}
<p class="actions">${linkButton(words.pageOpen, `/page/${page.urlKey}`, { look: 'plain', icon: 'open' })}${linkButton(words.pageDelete, `/dashboard/pages/${page.id}/delete`, { look: 'quiet', icon: 'delete' })}</p>`
  return dashboardPage(call, { part: '/dashboard/pages', title: words.pageEdit, content: body })
}

async function faultsOf(call: PageCall, fields: PageFormFields): Promise<PageFaults> {
  const { urlKey, title } = fields
  const { body } = (await previewOf(call, fields)).faults ?? {}
  const broken = [...faultsIf('urlKey', urlKeyFault(urlKey)), ...faultsIf('title', pageTitleFault(title))]
  return { ...Object.fromEntries(faultsInWords(call.reader.words, broken)), ...(body && { body }) }
}

const hasFault = (faults: PageFaults) => Object.keys(faults).length > 0

function faultsOfRefusal({ reader }: PageCall, refusal: Refusal): PageFaults {
  const { words } = reader
  if (refusal.code === 'url-key-taken') return { urlKey: words.pageKeyTaken }
  return { form: refusal.code === 'version-differs' ? words.pageChanged : refusalText(reader, refusal) }
}
