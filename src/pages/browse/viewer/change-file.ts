import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { checkedId, type FileType, fileAt } from '../../../http/requests/file-at.ts'
import { fileEditFaults, readFileEdit } from '../../../http/wire/file-edits.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  deleteFile,
  editFile,
  likeFile,
  listAlbums,
  mayChangeFile,
  notYourFile,
  otherVersion,
  type ShownFile,
  showFile,
} from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { differingFields, readChoices } from '../../../ui/conflicts.ts'
import {
  type FormFaults,
  faultsInWords,
  noFaults,
  refusalInWords,
  wholeForm,
} from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { callerOf } from '../lists/file-list.ts'
import { listPage } from '../lists/list-page.ts'
import { bodyOf, type FileFields, fieldsOfFile, fieldsOfForm, fileForm } from './edit-form.ts'

/** The file of the address, if the caller may change it. One that the caller may not even see is answered as unknown. */
async function ownFile(call: PageCall, type: FileType): Promise<ShownFile> {
  const file = await fileAt(call.site, type, call.params.name ?? '', userOf(call))
  if (!mayChangeFile(userOf(call), file)) throw notYourFile()
  return showFile(call.site, userOf(call), file.id)
}

const pathOf = ({ app, site }: PageCall, { file }: ShownFile) => addressesOf(app, site, file).viewerPath

export const getFileEdit =
  (type: FileType): PageHandler =>
  async (call) => {
    const shown = await ownFile(call, type)
    return editPage(call, shown, fieldsOfFile(shown.file, shown.tags), noFaults)
  }

/** Changes a file. If it was changed since the form was opened, the person chooses between both texts first. */
export const postFileEdit =
  (type: FileType): PageHandler =>
  async (call) => {
    const { reader, form } = call
    const shown = await ownFile(call, type)
    const theirs = fieldsOfFile(shown.file, shown.tags)
    const { fields, open, isChoice } = readChoices(form, fieldsOfForm(form), theirs)
    if (isChoice) return editPage(call, shown, fields, noFaults, open)
    if (open.length > 0) return editPage(call, shown, fields, wholeForm(reader.words.conflictOpen), open)
    const body = bodyOf(fields)
    const faults = fileEditFaults(body)
    if (faults.length > 0) return editPage(call, shown, fields, faultsInWords(reader.words, faults))
    const checkVersion = (version: number) => {
      if (fields.version !== String(version)) throw otherVersion(version)
    }
    const target = { id: shown.file.id, checkVersion, edit: readFileEdit(body) }
    const edited = await orRefusal(
      changeSite(call.app.control, call.site, (site) => editFile(site, userOf(call), target)),
    )
    if (!(edited instanceof Refusal)) return { to: pathOf(call, edited) }
    if (edited.code !== 'version-differs')
      return editPage(call, shown, fields, refusalInWords(reader, edited))
    const now = await ownFile(call, type)
    const differing = differingFields(fields, fieldsOfFile(now.file, now.tags))
    const mine = { ...fields, version: String(now.file.version) }
    return editPage(call, now, mine, wholeForm(reader.words.fileChanged), differing)
  }

async function editPage(
  call: PageCall,
  shown: ShownFile,
  fields: FileFields,
  faults: FormFaults,
  open: readonly string[] = [],
): Promise<PageAnswer> {
  const { reader, site } = call
  const { userId } = shown.file
  const own = { sort: 'createdAt', isDescending: true, userId, parentId: undefined } as const
  const albums =
    userId === undefined ? [] : await listAlbums(site, callerOf(call), own, { after: undefined, limit: 200 })
  const settings = await readSettings(site)
  const body = fileForm({
    fields,
    faults,
    open,
    theirs: fieldsOfFile(shown.file, shown.tags),
    albums,
    path: pathOf(call, shown),
    reader,
    hasTrash: settings.trash_days !== '0',
    isImmutable: settings.immutable_bytes !== '0',
  })
  return {
    status: faults.size > 0 ? 400 : 200,
    page: listPage(call, { title: reader.words.editFile, body }),
  }
}

/** Puts a file into the trash. The next page offers the way back. */
export const postFileTrash =
  (type: FileType): PageHandler =>
  async (call) => {
    const { file } = await ownFile(call, type)
    const target = { id: file.id, isPermanent: false }
    await changeSite(call.app.control, call.site, (site) => deleteFile(site, userOf(call), target))
    return { to: `/mine?trashed=${file.id}` }
  }

/** Likes a file, or likes it no more. */
export const postLike: PageHandler = async (call) => {
  const id = checkedId(call.params.id ?? '')
  const isLiked = call.form.get('is_liked') === '1'
  await changeSite(call.app.control, call.site, (site) => likeFile(site, userOf(call), { id, isLiked }))
  return { to: pathOf(call, await showFile(call.site, userOf(call), id)) }
}
