import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../../accounts/index.ts'
import type { SiteDb } from '../../db/index.ts'
import { faultOf } from '../../lib/faults.ts'
import { isId } from '../../lib/ids.ts'
import { type ChangingSite, readSettings, type Settings, type Site } from '../../site/index.ts'
import { findAlbum } from '../albums/albums-table.ts'
import { badParameter, fileNotFound } from '../errors.ts'
import { findFile } from '../files/files-table.ts'
import { removeFile } from '../files/removal/delete-files.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { type NewUpload, uploadFile } from '../upload/upload.ts'
import {
  readUploadRequest,
  type SentParameters,
  type Uploaded,
  type UploadRequest,
} from '../upload/upload-request.ts'
import { uncountUpload, updateUploads } from './share-counts-table.ts'
import {
  checkNotEnded,
  checkSentWithoutPass,
  isFull,
  shareEnded,
  takesNoUploads,
  uploadsUsedUp,
} from './share-rules.ts'
import { findShare, type Share } from './shares-table.ts'

/** The owner of the album, who owns what is collected. Refused if the share takes no files, or no more. */
export async function collectorOf(
  site: Site,
  share: Share,
): Promise<Extract<Actor, { kind: 'user' }> & { albumId: string }> {
  const album = share.albumId === undefined ? undefined : await findAlbum(site.db, share.albumId)
  if (!album || !share.allowsUpload) throw takesNoUploads()
  if (isFull(share)) throw uploadsUsedUp()
  return { kind: 'user', userId: album.userId, role: 'user', albumId: album.id }
}

/** What a visitor may say of a file. */
export const collectedParameters = ['title', 'description', 'contributor'] as const

const takenParameters: ReadonlySet<string> = new Set(collectedParameters)

/** Parses what a visitor says of a file. */
export async function readCollectedRequest(
  site: Site,
  collector: Actor,
  sent: Omit<SentParameters, 'isThirdPartyFormat'>,
): Promise<UploadRequest> {
  for (const name of sent.parameters.keys())
    if (!takenParameters.has(name)) throw badParameter(faultOf(name, 'untakenByShare'))
  const request = await readUploadRequest(site, collector, { ...sent, isThirdPartyFormat: false })
  return { ...request, contributor: sent.parameters.get('contributor')?.trim() || undefined }
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
    const current = await findShare(db, { id: share.id, now: site.clock.now() })
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

const dayMs = 24 * 3_600_000

/** Held by the page that has sent the file: it may take the file back. */
export const removalProof = (key: Uint8Array, share: Pick<Share, 'id'>, fileId: string): string =>
  createHmac('sha256', key).update(`removal ${share.id} ${fileId}`).digest('base64url')

interface SentFile {
  key: Uint8Array
  id: string
  proof: string
}

/** A file that the holder of the proof can take back: it was sent within the last day, and is still where it was sent to. */
export async function findSentFile(
  site: Site,
  share: Share,
  { key, id, proof }: SentFile,
): Promise<StoredFile | undefined> {
  const [given, wanted] = [Buffer.from(proof), Buffer.from(removalProof(key, share, id))]
  if (!isId(id) || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  const now = site.clock.now()
  const file = await findFile(site.db, id, now)
  if (!file || file.createdAt.getTime() <= now.getTime() - dayMs) return undefined
  // What the owner has put elsewhere is the owner's.
  return file.albumId === share.albumId ? file : undefined
}

/** Removes a file for the page that has sent it, for good; it counts towards the share no more. */
export async function takeBackFile(site: ChangingSite, share: Share, sent: SentFile): Promise<void> {
  const file = await findSentFile(site, share, sent)
  if (!file) throw fileNotFound()
  await removeFile(site, file, (db) => uncountUpload(db, share.id))
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
