import type { Actor, Caller, CreatedPosition, UserCaller } from '../../accounts/index.ts'
import { readSettings, type Settings, type Site } from '../../site/index.ts'
import { uploadEnded, uploadNotFound } from '../errors.ts'
import { asGuest, collectorOf } from '../shares/collect-files.ts'
import { checkNotEnded, shareEnded } from '../shares/share-rules.ts'
import { findShare, type Share } from '../shares/shares-table.ts'
import { findUpload, openUploadsAfter, type ResumableUpload } from './resumable-uploads-table.ts'

/** In whose name a file is uploaded, and by which settings. */
export interface Uploader {
  actor: Actor
  settings: Settings
  /** The share that collects the file. */
  share: Share | undefined
}

/** The caller itself; with the pass of a share, the owner of the album that the share collects for. */
export async function uploaderOf(site: Site, caller: Caller): Promise<Uploader> {
  const settings = await readSettings(site)
  if (!caller.share) return { actor: caller, settings, share: undefined }
  const now = site.clock.now()
  const share = await findShare(site.db, { id: caller.share.shareId, now })
  if (!share) throw shareEnded()
  checkNotEnded(share, now)
  return { actor: await collectorOf(site, share), settings: asGuest(settings), share }
}

/**
 * An upload of the caller that has not ended. One of a guest is known by its id alone, which is random: the address of a phone
 * changes while it uploads.
 */
export async function readOwnUpload(site: Site, caller: Caller, id: string): Promise<ResumableUpload> {
  const upload = await findUpload(site.db, id)
  if (!upload || !isOwn(caller, upload)) throw uploadNotFound()
  const isOver = upload.state !== 'finishing' && upload.expiresAt <= site.clock.now()
  if (upload.state === 'ended' || (isOver && upload.state === 'open')) throw uploadEnded()
  if (isOver) throw uploadNotFound()
  return upload
}

/** A page of the caller's unfinished uploads, the youngest first. A key that is bound to an album sees those into its album. */
export function listOwnUploads(
  site: Site,
  { userId, albumId }: UserCaller,
  page: { after: CreatedPosition | undefined; limit: number },
): Promise<ResumableUpload[]> {
  return openUploadsAfter(site.db, { userId, albumId, now: site.clock.now() }, page)
}

function isOwn(caller: Caller, { userId, shareId, albumId }: ResumableUpload): boolean {
  if (caller.share || shareId !== undefined) return caller.share?.shareId === shareId
  if (caller.kind === 'guest') return userId === undefined
  return userId === caller.userId && (caller.albumId === undefined || caller.albumId === albumId)
}
