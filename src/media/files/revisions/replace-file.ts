import { type Caller, checkStillKnown } from '../../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../../db/index.ts'
import type { Examined } from '../../../imaging/index.ts'
import { addToDay, type ChangingSite, countUpload, recordChange } from '../../../site/index.ts'
import { fileInTrash, otherType } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { addStored } from '../../resumable/storage-limit.ts'
import { dropDerivedOfFiles } from '../../transforms/kept-pictures.ts'
import { buildFileRow } from '../../upload/build-file-row.ts'
import { isDiskFull, putsOf } from '../../upload/store-file.ts'
import { withExamined } from '../../upload/upload.ts'
import type { UploadAttempt } from '../../upload/upload-request.ts'
import { checkMayChange, visibilityById } from '../../visibility.ts'
import { type FileTarget, openTarget, readAgain } from '../edit/change-files.ts'
import { readShownFile } from '../list/list-files.ts'
import type { ShownFile } from '../list/shown-columns-table.ts'
import { type StoredFile, storedBytesOf } from '../stored-file.ts'
import {
  contentOf,
  findKeyRevision,
  insertRevisionOfFile,
  reserveKeyRevision,
  updateContent,
} from './revisions-table.ts'

export interface NewContent {
  target: FileTarget
  upload: Omit<UploadAttempt['upload'], 'keep'>
  /** Keeps the answer for an Idempotency-Key; part of the transaction that turns the row. */
  keep: ((db: SiteDb, shown: ShownFile) => Promise<void>) | undefined
}

/**
 * Gives a file new bytes under a storage key of their own; the row then turns in one transaction, so that a reader gets
 * the old bytes or the new ones, whole. The old ones stay as an earlier revision.
 */
export async function replaceContent(
  site: ChangingSite,
  caller: Caller,
  { target, upload, keep }: NewContent,
): Promise<ShownFile> {
  await checkMayReplace(site, caller, target)
  return withExamined(site, caller, upload, async (attempt, examined) => {
    const { file: before } = await readShownFile(site, caller, target)
    if (examined.type !== before.type) throw otherType(before.type, examined.type)
    const keyRevision = await inTransaction(site.db, (db) => reserveKeyRevision(db, target.id))
    const file = fileWith(site, { attempt, examined, before, keyRevision })
    const puts = putsOf(file, examined)
    await site.storage.put(puts)
    // Bytes that cannot be removed now are orphans, which the job `sweep-orphans` removes.
    const removeBytes = () => site.storage.remove(puts.map(({ key }) => key)).catch(() => undefined)
    let isCommitting = false
    try {
      const turn = async (db: SiteDb) => {
        isCommitting = false
        const shown = await turnRow({ ...site, db }, caller, {
          target,
          file,
          uploadBytes: upload.spooled.sizeBytes,
          uploadId: upload.uploadId,
        })
        await keep?.(db, shown)
        isCommitting = true
        return shown
      }
      const shown = await inTransaction(site.db, turn, async (db) => {
        await lockSite(db)
        isCommitting = (await findKeyRevision(db, target.id)) === keyRevision
        return isCommitting
      })
      countUpload(site.counters, upload.spooled.sizeBytes)
      return shown
    } catch (error) {
      // As for uploads: a commit whose answer was lost may still take effect, and then the row needs its bytes.
      if (!isCommitting || isDiskFull(error)) await removeBytes()
      throw error
    }
  })
}

/** The file, if the caller may replace it; refuses before anything is decoded. */
export async function checkMayReplace(
  site: ChangingSite,
  caller: Caller,
  target: FileTarget,
): Promise<StoredFile> {
  const visibility = visibilityById(caller)
  const { file } = await readAgain(site, visibility, target.id)
  checkMayChange(visibility, file)
  target.checkVersion?.(file.version)
  if (file.deletedAt) throw fileInTrash()
  return file
}

interface Turning {
  target: FileTarget
  file: StoredFile
  /** Of the bytes as they were sent. */
  uploadBytes: number
  uploadId: string | undefined
}

async function turnRow(
  site: ChangingSite,
  caller: Caller,
  { target, file, uploadBytes, uploadId }: Turning,
): Promise<ShownFile> {
  const { visibility, shown } = await openTarget(site, caller, target)
  await checkStillKnown(site.db, caller, site.clock.now())
  if (shown.file.deletedAt) throw fileInTrash()
  const storedBytes = storedBytesOf(file)
  // The old bytes count until they are removed.
  await addStored(site, { userId: shown.file.userId, files: 0, bytes: storedBytes, uploadId })
  await addToDay(site, { uploads: 1, uploadBytes, storageUsed: storedBytes }, shown.file)
  const now = site.clock.now()
  await insertRevisionOfFile(site.db, target.id, now)
  await dropDerivedOfFiles(site, [target.id])
  const isApproved = shown.file.isApproved && file.isApproved
  await updateContent(
    site.db,
    target.id,
    { ...contentOf(file, storedBytes), isApproved: Number(isApproved) },
    now,
  )
  await recordChange(site, {
    verb: 'file.replaced',
    target: target.id,
    before: { revision: shown.file.revision, md5: shown.file.md5 },
    after: { revision: shown.file.revision + 1, md5: file.md5 },
  })
  return readAgain(site, visibility, target.id)
}

interface Replacing {
  attempt: UploadAttempt
  examined: Examined
  before: StoredFile
  keyRevision: number
}

/** The file with its new bytes. Its addresses keep their extensions, whatever the bytes are. */
function fileWith(site: ChangingSite, { attempt, examined, before, keyRevision }: Replacing): StoredFile {
  const built = buildFileRow(site, { ...attempt, examined, id: before.id })
  const { folder, name, extension } = before
  const variants = built.variants.map((variant) => {
    const known = before.variants.find((each) => each.variant === variant.variant)
    return known ? { ...variant, extension: known.extension } : variant
  })
  return { ...built, folder, name, extension, variants, keyRevision }
}
