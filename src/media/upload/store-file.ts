import { type Actor, checkStillKnown, recordUseIfDue } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import type { Examined } from '../../imaging/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { addToDay, addToTotal, type ChangingSite, countUpload, limitOf, type Site } from '../../site/index.ts'
import { findAlbum } from '../albums/albums-table.ts'
import { duplicatedUpload, notYourAlbum, unknownCategory } from '../errors.ts'
import { findDeleteHashes, findFileOfBytes, insertFile, updateDeleteHashes } from '../files/files-table.ts'
import { hasCategory } from '../files/labels/categories-table.ts'
import { recordNewTag } from '../files/labels/tags.ts'
import { insertFileTags, insertTag, knownTags, tagsOfFile } from '../files/labels/tags-table.ts'
import { newDeleteToken, withToken } from '../files/removal/delete-files.ts'
import { isNameReserved } from '../files/removal/reserved-names-table.ts'
import { keyOf, type StoredFile, storedBytesOf, type VariantName, variantOf } from '../files/stored-file.ts'
import { lockSite } from '../lock-site.ts'
import { addStored } from '../resumable/storage-limit.ts'
import { indexNewFile } from '../search/index-file.ts'
import { withSuffix } from './build-file-row.ts'
import type { UploadAttempt, Uploaded, UploadRequest } from './upload-request.ts'

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
    if (uploaded.file.id === file.id) countUpload(site.counters, storing.upload.spooled.sizeBytes)
    else await removeBytes()
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
  const storedBytes = storedBytesOf(file)
  const { uploadId } = attempt.upload
  await addStored(site, { userId: file.userId, files: 1, bytes: storedBytes, uploadId })
  await addToDay(
    site,
    { uploads: 1, uploadBytes: attempt.upload.spooled.sizeBytes, files: 1, storageUsed: storedBytes },
    file,
  )
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

/** Where the bytes of an upload and of its variants lie, and the storage keys that they get. */
export function putsOf(file: StoredFile, examined: Examined): { key: string; path: string }[] {
  const paths: Record<VariantName, string | undefined> = {
    thumb: examined.thumb?.path,
    medium: examined.medium?.path,
    frame: examined.type === 'video' ? examined.frame?.path : undefined,
  }
  return [
    { key: keyOf(file), path: examined.file.path },
    ...(['thumb', 'medium', 'frame'] as const).flatMap((name) => {
      const [variant, path] = [variantOf(file, name), paths[name]]
      return variant && path ? [{ key: keyOf(file, variant), path }] : []
    }),
  ]
}

/** On a full disk the commit was certainly not written. */
export const isDiskFull = (error: unknown): boolean => error instanceof Refusal && error.code === 'disk-full'

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
