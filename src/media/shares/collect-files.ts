import type { Actor } from '../../accounts/index.ts'
import type { SiteDb } from '../../db/index.ts'
import { type ChangingSite, readSettings, type Settings, type Site } from '../../site/index.ts'
import { findAlbum } from '../albums/albums-table.ts'
import { type NewUpload, uploadFile } from '../upload/upload.ts'
import type { Uploaded } from '../upload/upload-request.ts'
import {
  checkNotEnded,
  checkSentWithoutPass,
  isFull,
  shareEnded,
  takesNoUploads,
  uploadsUsedUp,
} from './share-rules.ts'
import { findShare, type Share, updateUploads } from './shares-table.ts'

/** The owner of the album, who owns what is collected. Refused if the share takes no files, or no more. */
export async function collectorOf(site: Site, share: Share): Promise<Actor & { albumId: string }> {
  const album = share.albumId === undefined ? undefined : await findAlbum(site.db, share.albumId)
  if (!album || !share.allowsUpload) throw takesNoUploads()
  if (isFull(share)) throw uploadsUsedUp()
  return { kind: 'user', userId: album.userId, role: 'user', albumId: album.id }
}

export interface CollectedUpload extends Omit<NewUpload, 'settings'> {
  /** Whether the visitor has opened the share, and has used a view for it. */
  hasPass: boolean
}

/** Stores a visitor's upload in the album of a share. It counts towards the share in the transaction that stores it. */
export async function collectFile(
  site: ChangingSite,
  share: Share,
  { keep, hasPass, ...upload }: CollectedUpload,
): Promise<Uploaded> {
  const collector = await collectorOf(site, share)
  const count = async (db: SiteDb, uploaded: Uploaded) => {
    const current = await findShare(db, share.id)
    if (!current) throw shareEnded()
    checkNotEnded(current, site.clock.now())
    if (!hasPass) checkSentWithoutPass(current)
    if (!current.allowsUpload) throw takesNoUploads()
    if (!(await updateUploads(db, share.id))) throw uploadsUsedUp()
    await keep?.(db, uploaded)
  }
  const settings = asGuest(await readSettings(site))
  return uploadFile(site, collector, { ...upload, settings, keep: count })
}

/**
 * A visitor's uploads are limited and moderated like a guest's, though the file is the owner's; and they never lead to a
 * file that the owner has already.
 */
export function asGuest(settings: Settings): Settings {
  const { flood_guest_minute, flood_guest_hour, flood_guest_day, flood_guest_week, flood_guest_month } =
    settings
  return {
    ...settings,
    flood_user_minute: flood_guest_minute,
    flood_user_hour: flood_guest_hour,
    flood_user_day: flood_guest_day,
    flood_user_week: flood_guest_week,
    flood_user_month: flood_guest_month,
    moderation: settings.moderation === 'off' ? 'off' : 'all',
    duplicates: 'allow',
  }
}
