import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import type { Actor } from '../../accounts/index.ts'
import { clientDisconnected, type Examined, type MetadataPolicy } from '../../imaging/index.ts'
import { randomId } from '../../lib/ids.ts'
import { parseSize } from '../../lib/sizes.ts'
import {
  type ChangingSite,
  isSwitchedOn,
  limitOf,
  readSettings,
  type Settings,
  type Site,
} from '../../site/index.ts'
import { diskFault } from '../../storage/index.ts'
import { fileTooBig, mayNotUpload, urlUploadsOff } from '../errors.ts'
import { buildFileRow } from './build-file-row.ts'
import { type Cost, reserveUploadSlot, withUploadSlot } from './rate-limit.ts'
import { findExisting, putsOf, storeFile } from './store-file.ts'
import type { SpooledFile, Upload, UploadAttempt, Uploaded } from './upload-request.ts'

/** Fetches a file from a URL, and calls back when the transfer begins. */
export type FetchSource = (onBegin: () => void) => Promise<SpooledFile>

export interface NewUpload extends Omit<Upload, 'spooled'> {
  source: SpooledFile | FetchSource
  /** In place of the site's own. */
  settings?: Settings
}

/** Refuses a caller who may not upload at all, before the body is read. */
export async function checkMayUpload(site: Site, actor: Actor): Promise<void> {
  if (actor.kind === 'user') return
  const { enable_guest_uploads: isOpen } = await readSettings(site)
  if (isOpen !== '1') throw guestsMayNot()
}

/** Whether the upload page takes files of this caller: guests need no key there, so it has a setting of its own. */
export async function mayUploadOnPage(site: Site, actor: Actor): Promise<boolean> {
  if (actor.kind === 'user') return true
  const settings = await readSettings(site)
  return settings.enable_guest_uploads === '1' && settings.enable_guest_page_uploads === '1'
}

export async function checkMayUploadOnPage(site: Site, actor: Actor): Promise<void> {
  if (!(await mayUploadOnPage(site, actor))) throw guestsMayNot()
}

const guestsMayNot = () => mayNotUpload('Guests may not upload here.')

export async function mayUploadUrl(site: Site, actor: Actor): Promise<boolean> {
  if (!isSwitchedOn(site.values, 'SERVICE_ENABLE_UPLOAD_URL')) return false
  return actor.kind === 'user' || (await readSettings(site)).enable_guest_url_uploads === '1'
}

/** Refuses a caller who may not upload by URL. */
export async function checkMayUploadUrl(site: Site, actor: Actor): Promise<void> {
  if (!(await mayUploadUrl(site, actor))) throw urlUploadsOff()
}

/** The largest upload of a caller in bytes: the site's setting, capped by the operator's limit. */
export async function largestUpload(site: Site, actor: Actor): Promise<number> {
  const settings = await readSettings(site)
  const own = parseSize(settings[`max_file_size_${actor.kind}`]) || Number.MAX_SAFE_INTEGER
  return Math.min(own, limitOf(site.values, 'SERVICE_MAX_UPLOAD_SIZE') ?? Number.MAX_SAFE_INTEGER)
}

/** Stores an upload: once this resolves, its bytes and its row survive a power cut. */
export async function uploadFile(
  site: ChangingSite,
  actor: Actor,
  { source, settings: given, ...rest }: NewUpload,
): Promise<Uploaded> {
  const settings = given ?? (await readSettings(site))
  const cost: Cost = { isWork: false }
  const onBegin = () => {
    cost.isWork = true
  }
  const reserve = async () =>
    rest.releaseSlot ?? reserveUploadSlot(site, actor, { address: rest.address, settings })
  if (typeof source === 'function') {
    // A fetch loads a third party's server, so it counts against the rate limit even if it fails.
    return withUploadSlot(await reserve(), cost, async () => {
      const upload = { ...rest, spooled: await source(onBegin) }
      const attempt = { actor, upload, settings }
      return (await findExisting(site, attempt)) ?? (await examineAndStore(site, attempt, onBegin))
    })
  }
  const attempt = { actor, upload: { ...rest, spooled: source }, settings }
  const existing = await findExisting(site, attempt)
  if (existing) return existing
  return withUploadSlot(await reserve(), cost, () => examineAndStore(site, attempt, onBegin))
}

async function examineAndStore(
  site: ChangingSite,
  attempt: UploadAttempt,
  onBegin: () => void,
): Promise<Uploaded> {
  const examined = await examineWithinLimit(site, attempt, onBegin)
  const file = buildFileRow(site, { ...attempt, examined, id: randomId() })
  return storeFile(site, { ...attempt, file, puts: putsOf(file, examined) })
}

/** Decodes a file that is stored in another way than by an upload, with all checks of one. */
export async function withExamined<T>(
  site: ChangingSite,
  actor: Actor,
  upload: Upload,
  work: (attempt: UploadAttempt, examined: Examined) => Promise<T>,
): Promise<T> {
  const settings = await readSettings(site)
  const attempt = { actor, upload, settings }
  const cost: Cost = { isWork: false }
  const onBegin = () => {
    cost.isWork = true
  }
  const release =
    upload.releaseSlot ?? (await reserveUploadSlot(site, actor, { address: upload.address, settings }))
  return withUploadSlot(release, cost, async () =>
    work(attempt, await examineWithinLimit(site, attempt, onBegin)),
  )
}

async function examineWithinLimit(
  site: ChangingSite,
  attempt: UploadAttempt,
  onBegin: () => void,
): Promise<Examined> {
  const maxBytes = await largestUpload(site, attempt.actor)
  if (attempt.upload.spooled.sizeBytes > maxBytes) throw fileTooBig(maxBytes)
  const examined = await examineUpload(site, attempt, onBegin)
  if (attempt.upload.signal?.aborted) throw clientDisconnected()
  return examined
}

/** Decodes an upload and makes its variants beside it. A disk failure is reported as one, not as a broken image. */
async function examineUpload(site: Site, attempt: UploadAttempt, onBegin: () => void): Promise<Examined> {
  const { spooled, signal } = attempt.upload
  try {
    return await examine(site, attempt, onBegin).catch(async (error) => {
      if (signal?.aborted) throw clientDisconnected()
      // A decoder that cannot read its input reports a broken image: read the file again to tell the two apart.
      await readThrough(spooled)
      throw error
    })
  } catch (error) {
    throw diskFault(error)
  }
}

async function examine(
  site: Site,
  { upload, settings }: UploadAttempt,
  onBegin: () => void,
): Promise<Examined> {
  const { spooled, request, signal } = upload
  return site.imaging.examine(spooled.path, {
    tenantKey: String(site.number),
    outputFolder: dirname(spooled.path),
    policy: settings.metadata as MetadataPolicy,
    maxPixels: limitOf(site.values, 'SERVICE_MAX_PIXELS') ?? 0,
    allowSvg: settings.enable_svg === '1',
    width: request.width,
    signal,
    onBegin,
  })
}

async function readThrough({ path, sizeBytes }: SpooledFile): Promise<void> {
  let remaining = sizeBytes
  for await (const chunk of createReadStream(path)) remaining -= (chunk as Buffer).length
  if (remaining !== 0)
    throw Object.assign(new Error('The length of a spooled file has changed.'), { code: 'EIO' })
}
