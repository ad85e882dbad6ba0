import {
  copyFormats,
  copySizes,
  editPreferences,
  expirations,
  type Preferences,
} from '../../../accounts/index.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { endOwnUpload, listAlbums, listOwnUploads, uploadNotFound } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { type RefusedPreference, type UploadDefaults, uploadsPage } from './uploads-page.ts'

/** Enough for a list to choose from; larger collections choose in the upload itself. */
const mostAlbums = 200

/** A user usually has at most 20; an operator may allow more. */
const mostUploads = 200

export async function ownAlbums(call: PageCall): Promise<(readonly [id: string, title: string])[]> {
  const caller = userOf(call)
  const listing = {
    userId: caller.userId,
    parentId: undefined,
    sort: 'createdAt',
    isDescending: true,
  } as const
  const albums = await listAlbums(call.site, caller, listing, { after: undefined, limit: mostAlbums })
  return albums.map(({ id, title }) => [id, title])
}

export const showUploads: PageHandler = async (call) => ({
  page: await pageOf(call, { chosen: call.session?.preferences }),
})

async function pageOf(call: PageCall, defaults: Omit<UploadDefaults, 'albums'>): Promise<string> {
  const unfinished = await listOwnUploads(call.site, userOf(call), { after: undefined, limit: mostUploads })
  return uploadsPage(call, { ...defaults, albums: await ownAlbums(call) }, unfinished)
}

export const saveUploads: PageHandler = async (call) => {
  const { app, site } = call
  const chosen = chosenIn(call.form)
  if (chosen.copyFormat === 'own' && chosen.copyTemplate === '') return refuse(call, chosen, 'copyTemplate')
  const saved = await orRefusal(
    changeSite(app.control, site, (changing) => editPreferences(changing, userOf(call), chosen)),
  )
  if (!(saved instanceof Refusal)) return { to: '/settings/uploads?saved=1' }
  return refuse(call, chosen, saved.faults[0]?.field === 'copyTemplate' ? 'copyTemplate' : 'albumId')
}

async function refuse(
  call: PageCall,
  sent: Partial<Preferences>,
  refused: RefusedPreference,
): Promise<PageAnswer> {
  const chosen = { ...call.session?.preferences, ...sent } as Preferences
  return { page: await pageOf(call, { chosen, refused }), status: 400 }
}

export const cancelUpload: PageHandler = async (call) => {
  const { app, site, params } = call
  const { id = '' } = params
  if (!isId(id)) throw uploadNotFound()
  const ended = await orRefusal(
    changeSite(app.control, site, (changing) => endOwnUpload(changing, userOf(call), id)),
  )
  // One that has ended in the meantime is what was asked for.
  if (ended instanceof Refusal && ended.kind !== 'not-found') throw ended
  return { to: '/settings/uploads?canceled=1' }
}

/** A choice that is not on the page is left as it was. */
function chosenIn(form: URLSearchParams): Partial<Preferences> {
  const one = <Word extends string>(name: string, words: readonly Word[]) =>
    words.find((word) => word === form.get(name))
  const [copyFormat, copySize] = [one('format', copyFormats), one('size', copySizes)]
  const expiration = one('expiration', expirations)
  return {
    albumId: form.get('album') ?? '',
    isNsfw: form.get('nsfw') === '1',
    copyTemplate: form.get('template')?.trim() ?? '',
    ...(copyFormat !== undefined && { copyFormat }),
    ...(copySize !== undefined && { copySize }),
    ...(expiration !== undefined && { expiration }),
  }
}
