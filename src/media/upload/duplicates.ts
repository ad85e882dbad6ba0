import { type Actor, recordUseIfDue } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { duplicatedUpload } from '../errors.ts'
import { findDeleteHashes, findFileOfBytes, updateDeleteHashes } from '../files/files-table.ts'
import { newDeleteToken, withToken } from '../files/removal/delete-token.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { tagsOfFile } from '../files/labels/tags-table.ts'
import { lockSite } from '../lock-site.ts'
import type { UploadAttempt, Uploaded } from './upload-attempt.ts'

const duplicateMs = 24 * 60 * 60_000

/** The file that this uploader has already stored with these bytes. Refused or ignored, depending on the site's setting. */
export async function findExisting(
  site: ChangingSite,
  attempt: UploadAttempt,
): Promise<Uploaded | undefined> {
  const file = await findDuplicate(site, attempt)
  if (!file) return undefined
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    const hashes = await findDeleteHashes(db, file.id)
    if (hashes === undefined) return undefined
    const tags = await tagsOfFile(db, file.id)
    const deleteToken = isOwner(attempt.actor, file) ? await addToken(db, file.id, hashes) : undefined
    const uploaded = { file, tags, deleteToken, isExisting: true }
    await attempt.upload.keep?.(db, uploaded)
    await recordUseIfDue({ ...site, db }, attempt.actor, attempt.upload.address)
    return uploaded
  })
}

/** Only the hashes of earlier tokens are stored: the answer gets a new token, and the earlier ones stay valid. */
async function addToken(db: SiteDb, id: string, hashes: string): Promise<string> {
  const { token, tokenHash } = newDeleteToken()
  await updateDeleteHashes(db, id, withToken(hashes, tokenHash))
  return token
}

/** Guests may share an IP address: the one who sends these bytes again need not be the first uploader. */
const isOwner = (actor: Actor, { userId }: StoredFile) => actor.kind === 'user' && actor.userId === userId

async function findDuplicate(
  site: Site,
  { actor, upload, settings }: UploadAttempt,
): Promise<StoredFile | undefined> {
  if (settings.duplicates === 'allow') return undefined
  const now = site.clock.now()
  const file = await findFileOfBytes(site.db, {
    sourceMd5: upload.spooled.md5,
    userId: actor.kind === 'user' ? actor.userId : undefined,
    uploaderAddress: upload.address,
    since: new Date(now.getTime() - duplicateMs),
    now,
  })
  if (file && settings.duplicates === 'reject') throw duplicatedUpload()
  return file
}
