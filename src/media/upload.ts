import type { Actor } from '../accounts/index.ts'
import { randomId } from '../lib/ids.ts'
import { formatSize, parseSize } from '../lib/sizes.ts'
import { isSwitchedOn, limitOf, readSettings, type Site } from '../site/index.ts'
import { composeFile } from './compose-file.ts'
import { type Asked, findExisting } from './duplicates.ts'
import { fileTooBig, mayNotUpload } from './errors.ts'
import { examineUpload } from './examine-upload.ts'
import { takeFloodPlace } from './flood.ts'
import type { SpooledFile } from './spooled-file.ts'
import { storeFile } from './store-file.ts'
import type { StoredFile } from './stored-file.ts'
import type { UploadRequest } from './upload-request.ts'

export interface Upload {
  spooled: SpooledFile
  request: UploadRequest
  /** Of the client. */
  address: string
}

export interface Uploaded {
  file: StoredFile
  tags: readonly string[]
  /** Deletes the file; told this once. */
  deleteToken: string
}

/** Refuses callers who could not upload whatever they sent, before anything is read from them. */
export async function checkMayUpload(site: Site, actor: Actor): Promise<void> {
  if (actor.kind === 'user') return
  const { enable_guest_uploads: isOpen } = await readSettings(site)
  if (isOpen !== '1') throw mayNotUpload('Guests may not upload here.')
}

/** Refuses those who may not have us fetch a URL. */
export async function checkMayUploadUrl(site: Site, actor: Actor): Promise<void> {
  const { enable_guest_url_uploads: isOpenToGuests } = await readSettings(site)
  const isOpen = isSwitchedOn(site.values, 'SERVICE_ENABLE_UPLOAD_URL')
  if (!isOpen || (actor.kind === 'guest' && isOpenToGuests !== '1'))
    throw mayNotUpload('URL uploading is disabled')
}

/** The most bytes that a caller may send: the site's setting, under the operator's limit. */
export async function largestUpload(site: Site, actor: Actor): Promise<number> {
  const settings = await readSettings(site)
  const own = parseSize(settings[`max_file_size_${actor.kind}`]) || Number.MAX_SAFE_INTEGER
  return Math.min(own, limitOf(site.values, 'SERVICE_MAX_UPLOAD_SIZE') ?? Number.MAX_SAFE_INTEGER)
}

/** Takes an upload: once this resolves, its bytes and its row survive a power cut. */
export async function uploadFile(site: Site, actor: Actor, upload: Upload): Promise<Uploaded> {
  const settings = await readSettings(site)
  const asked = { actor, upload, settings }
  const existing = await findExisting(site, asked)
  if (existing) return existing

  const giveBack = await takeFloodPlace(site, actor, { address: upload.address, settings })
  try {
    return await takeIn(site, asked)
  } catch (error) {
    await giveBack().catch(() => undefined)
    throw error
  }
}

async function takeIn(site: Site, asked: Asked): Promise<Uploaded> {
  const most = await largestUpload(site, asked.actor)
  if (asked.upload.spooled.sizeBytes > most) throw fileTooBig(formatSize(most))
  const examined = await examineUpload(site, asked)
  const file = composeFile(site, { ...asked, examined, id: randomId() })
  const paths = {
    file: examined.file.path,
    thumb: examined.thumb?.path,
    medium: examined.medium?.path,
    frame: examined.type === 'video' ? examined.frame?.path : undefined,
  }
  return storeFile(site, { ...asked, file, paths })
}
