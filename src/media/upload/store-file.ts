import { type Actor, checkStillKnown, limitReached, recordUseIfDue } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { addToDay, addToTotal, type ChangingSite, limitOf, type Site } from '../../site/index.ts'
import { findAlbum } from '../albums/albums-table.ts'
import { notYourAlbum, unknownCategory } from '../errors.ts'
import { findDeleteHashes, insertFile } from '../files/files-table.ts'
import { hasCategory } from '../files/labels/categories-table.ts'
import { recordNewTag } from '../files/labels/record-labels.ts'
import { newDeleteToken } from '../files/removal/delete-token.ts'
import { isNameReserved } from '../files/removal/reserved-names-table.ts'
import { type StoredFile, storedBytesOf } from '../files/stored-file.ts'
import { insertFileTags, insertTag, knownTags } from '../files/labels/tags-table.ts'
import { lockSite } from '../lock-site.ts'
import { addStoredBytes } from '../resumable/storage-limit.ts'
import { indexNewFile } from '../search/index-file.ts'
import { findExisting } from './duplicates.ts'
import { withSuffix } from './file-name.ts'
import { isDiskFull } from './stored-puts.ts'
import type { UploadAttempt, Uploaded } from './upload-attempt.ts'
import type { UploadRequest } from './upload-request.ts'

interface Storing extends UploadAttempt {
  file: StoredFile
  puts: readonly { key: string; path: string }[]
}

/**
 * Stores the bytes first, then the row: a power cut between the two leaves an orphan that no client has the URL of.
 * Row, totals and limits are one transaction.
 */
export async function storeFile(site: ChangingSite, storing: Storing): Promise<Uploaded> {
  const { file, puts } = storing
  await site.storage.put(puts)
  // Bytes that cannot be removed now are orphans, which the job `sweep-orphans` removes.
  const removeBytes = () => site.storage.remove(puts.map(({ key }) => key)).catch(() => undefined)
  let isCommitting = false
  try {
    const insert = async (db: SiteDb) => {
      isCommitting = false
      const inserted = await insertAll({ ...site, db }, storing)
      isCommitting = true
      return inserted
    }
    const uploaded = await inTransaction(site.db, insert, async (db) => {
      isCommitting = await isInserted(db, file)
      return isCommitting
    })
    if (uploaded.file.id !== file.id) await removeBytes()
    return uploaded
  } catch (error) {
    // A commit that failed may still take effect, if its answer was lost or the log is replayed after a crash:
    // then the row needs its bytes. If it does not take effect, the bytes are orphans.
    if (!isCommitting || isDiskFull(error)) await removeBytes()
    throw error
  }
}

async function insertAll(site: ChangingSite, { file: built, ...attempt }: Storing): Promise<Uploaded> {
  const { db } = site
  const { request, address } = attempt.upload
  await lockSite(db)
  await revalidateUpload(site, attempt.actor, request)
  const isAlbumDeleted = built.albumId !== undefined && !(await findAlbum(db, built.albumId))
  if (isAlbumDeleted && !request.outlivesAlbum) throw notYourAlbum()
  // Another upload of these bytes may have been stored while this one was decoded.
  const existing = await findExisting(site, attempt)
  if (existing) return existing

  // The bytes are there, and may be hard to send again. Private, because the album may have been.
  const file = isAlbumDeleted ? { ...built, albumId: undefined, isPrivate: true } : built
  const mostFiles = limitOf(site.values, 'SERVICE_MAX_FILES')
  if (!(await addToTotal(db, 'files', 1, mostFiles))) throw limitReached('SERVICE_MAX_FILES', mostFiles ?? 0)
  const storedBytes = storedBytesOf(file)
  await addStoredBytes(site, storedBytes, attempt.upload.reservedBytes)
  await addToDay(site, { uploads: 1, storageUsed: storedBytes })
  const { token, tokenHash } = newDeleteToken()
  const secrets = { deleteHash: tokenHash, uploaderAddress: address }
  const named = await insertNamed(db, file, secrets)
  const tags = await tagFile(site, file, request.tags)
  await indexNewFile(db, named, tags)
  const uploaded = { file: named, tags, deleteToken: token, isExisting: false, isAlbumDeleted }
  await attempt.upload.keep?.(db, uploaded)
  await recordUseIfDue(site, attempt.actor, address)
  return uploaded
}

/**
 * The user, key or category, like the album, may have been deleted while the body was received. Checked again under the site lock, which every such
 * deletion takes too.
 */
async function revalidateUpload(
  { db, clock }: Site,
  actor: Actor,
  { categoryId }: UploadRequest,
): Promise<void> {
  await checkStillKnown(db, actor, clock.now())
  if (categoryId !== undefined && !(await hasCategory(db, categoryId))) throw unknownCategory()
}

/** Definitive: an open transaction still holds the site lock, so this waits for it. */
async function isInserted(db: SiteDb, file: StoredFile): Promise<boolean> {
  await lockSite(db)
  return (await findDeleteHashes(db, file.id)) !== undefined
}

/** If the name is taken, or reserved for a removed file, the file gets a random suffix. */
async function insertNamed(
  db: SiteDb,
  file: StoredFile,
  secrets: Parameters<typeof insertFile>[2],
): Promise<StoredFile> {
  for (let named = file; ; named = { ...file, name: withSuffix(file.name) }) {
    if (!(await isNameReserved(db, named, file.createdAt)) && (await insertFile(db, named, secrets)))
      return named
  }
}

/** New tags over the site's limit are left out. */
async function tagFile(site: ChangingSite, file: StoredFile, names: readonly string[]): Promise<string[]> {
  const { db } = site
  const known = await knownTags(db, names)
  const limit = limitOf(site.values, 'SERVICE_MAX_TAGS')
  const added: string[] = []
  for (const name of names) {
    const hasTag =
      known.has(name) ||
      ((await addToTotal(db, 'tags', 1, limit)) && (await makeTag(site, name, file.createdAt)))
    if (hasTag) added.push(name)
  }
  await insertFileTags(db, file.id, added)
  return added
}

/** If another upload has inserted the tag meanwhile, it has also counted it. */
async function makeTag(site: ChangingSite, name: string, at: Date): Promise<true> {
  if (await insertTag(site.db, name, at)) await recordNewTag(site, name)
  else await addToTotal(site.db, 'tags', -1)
  return true
}
