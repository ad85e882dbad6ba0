import { hashNewPassword } from '../../../accounts/index.ts'
import { albumFaults, readAlbumEdit, readNewAlbum } from '../../../http/wire/albums.ts'
import { html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  type Album,
  albumAccessOf,
  createOwnAlbum,
  editOwnAlbum,
  listAlbums,
  notYourAlbum,
  otherVersion,
  removeOwnAlbum,
  type SeenAlbum,
  seeAlbum,
} from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { differingFields, readChoices } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { checkField, linkButton, submitButton } from '../../../ui/parts/controls.ts'
import {
  type FormFaults,
  faultsInWords,
  noFaults,
  refusalInWords,
  wholeForm,
} from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { albumPath } from '../lists/album-card.ts'
import { albumIdOf, callerOf } from '../lists/file-list.ts'
import { listPage } from '../lists/list-page.ts'
import { type AlbumFields, albumForm, bodyOf, fieldsOfAlbum, fieldsOfForm } from './album-form.ts'

const noFields: AlbumFields = {
  title: '',
  description: '',
  privacy: 'public',
  parentId: '',
  sort: 'position',
  version: '',
}

export const getNewAlbum: PageHandler = (call) => newAlbumPage(call, noFields, noFaults)

/** Creates an album and shows it. */
export const postNewAlbum: PageHandler = async (call) => {
  const fields = fieldsOfForm(call.form)
  const body = bodyOf(fields, call.form.get('password') ?? '')
  const faults = albumFaults(body)
  if (faults.length > 0) return newAlbumPage(call, fields, faultsInWords(call.reader.words, faults))
  const { password, ...input } = readNewAlbum(body)
  const passwordHash = await hashNewPassword(password)
  const made = await orRefusal(
    changeSite(call.app.control, call.site, (site) =>
      createOwnAlbum(site, userOf(call), { ...input, passwordHash }),
    ),
  )
  return made instanceof Refusal
    ? newAlbumPage(call, fields, refusalInWords(call.reader, made))
    : { to: albumPath(made) }
}

async function newAlbumPage(call: PageCall, fields: AlbumFields, faults: FormFaults): Promise<PageAnswer> {
  const { words } = call.reader
  const parents = await albumsOf(call, userOf(call).userId)
  const isImmutable = await isCachedLong(call)
  const body = albumForm(call, {
    fields,
    faults,
    parents,
    isImmutable,
    save: words.albumCreate,
    back: '/albums',
  })
  return { status: faults.size > 0 ? 400 : 200, page: listPage(call, { title: words.newAlbum, body }) }
}

const isCachedLong = async ({ site }: PageCall) => (await readSettings(site)).immutable_bytes !== '0'

const mostParents = 200

/** Albums of a user that another one can be put into. */
const albumsOf = (call: PageCall, userId: string, except?: string): Promise<SeenAlbum[]> =>
  listAlbums(
    call.site,
    callerOf(call),
    { sort: 'createdAt', isDescending: true, userId, parentId: undefined },
    { after: undefined, limit: mostParents },
  ).then((albums) => albums.filter(({ id }) => id !== except))

/** The album of the address, if the caller may change it. */
async function ownAlbum(call: PageCall): Promise<Album> {
  const id = albumIdOf(call.params.name ?? '')
  const { album, isOwn } = await albumAccessOf(call.site, callerOf(call), id)
  if (!isOwn) throw notYourAlbum()
  return album
}

export const getAlbumEdit: PageHandler = async (call) => {
  const album = await ownAlbum(call)
  return editPage(call, album, await theirsOf(call, album), noFaults)
}

/** Changes an album. If it was changed since the form was opened, the person chooses between both texts first. */
export const postAlbumEdit: PageHandler = async (call) => {
  const { reader, form } = call
  const { words } = reader
  const album = await ownAlbum(call)
  const { fields, open, isChoice } = readChoices(form, fieldsOfForm(form), await theirsOf(call, album))
  if (isChoice) return editPage(call, album, fields, noFaults, open)
  if (open.length > 0) return editPage(call, album, fields, wholeForm(words.conflictOpen), open)
  const body = bodyOf(fields, form.get('password') ?? '')
  const faults = albumFaults(body)
  if (faults.length > 0) return editPage(call, album, fields, faultsInWords(words, faults))
  const { password, ...edit } = readAlbumEdit(body)
  const passwordHash = await hashNewPassword(password)
  const checkVersion = (version: number) => {
    if (fields.version !== String(version)) throw otherVersion(version)
  }
  const edited = await orRefusal(
    changeSite(call.app.control, call.site, (site) =>
      editOwnAlbum(site, userOf(call), { ...edit, id: album.id, passwordHash, checkVersion }),
    ),
  )
  if (!(edited instanceof Refusal)) return { to: albumPath(edited) }
  if (edited.code !== 'version-differs') return editPage(call, album, fields, refusalInWords(reader, edited))
  const now = await ownAlbum(call)
  const differing = differingFields(fields, await theirsOf(call, now))
  const mine = { ...fields, version: String(now.version) }
  return editPage(call, now, mine, wholeForm(words.albumChanged), differing)
}

const theirsOf = async (call: PageCall, album: Album): Promise<AlbumFields> =>
  fieldsOfAlbum(await seeAlbum(call.site, callerOf(call), album))

async function editPage(
  call: PageCall,
  album: Album,
  fields: AlbumFields,
  faults: FormFaults,
  open: readonly string[] = [],
): Promise<PageAnswer> {
  const { words } = call.reader
  const parents = await albumsOf(call, album.userId, album.id)
  const isImmutable = await isCachedLong(call)
  const form = albumForm(call, {
    fields,
    faults,
    open,
    theirs: await theirsOf(call, album),
    parents,
    isImmutable,
    save: words.albumSave,
    back: albumPath(album),
  })
  const body = html`${form}
<p>${linkButton(words.albumDelete, `${albumPath(album)}/delete`, { look: 'quiet', icon: 'delete' })}</p>`
  return { status: faults.size > 0 ? 400 : 200, page: listPage(call, { title: words.editAlbum, body }) }
}

/** Asks before an album is deleted: that cannot be undone. */
export const getAlbumDelete: PageHandler = async (call) => {
  const album = await ownAlbum(call)
  const { words } = call.reader
  const body = html`<form method="post" class="ask">${tokenField(call.reader)}
<p><strong dir="auto">${album.title}</strong></p>
<p>${words.albumDeleteText}</p>
${checkField({ label: words.albumDeleteFiles, name: 'files' })}
<p class="actions">${submitButton(words.albumDelete, { look: 'danger', icon: 'delete' })}${linkButton(words.albumKeep, albumPath(album), { look: 'plain' })}</p>
</form>`
  return { page: listPage(call, { title: words.albumDeleteTitle, body }) }
}

export const postAlbumDelete: PageHandler = async (call) => {
  const { id } = await ownAlbum(call)
  const trashesFiles = call.form.has('files')
  const removal = { id, trashesFiles, checkVersion: () => undefined }
  await changeSite(call.app.control, call.site, (site) => removeOwnAlbum(site, userOf(call), removal))
  return { to: '/albums?of=me' }
}
