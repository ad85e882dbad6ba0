import type { Caller } from '../../../accounts/index.ts'
import { type ChangingSite, readSettings, recordChange, type Site } from '../../../site/index.ts'
import { proveBytes } from '../../../storage/index.ts'
import { fileInTrash, revisionDamaged, revisionNotFound } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { dropDerivedOfFiles } from '../../transforms/kept-pictures.ts'
import { isApprovedAtOnce } from '../../upload/build-file-row.ts'
import { checkMayChange, visibilityById } from '../../visibility.ts'
import { changeFile, type FileTarget, readAgain } from '../edit/change-files.ts'
import { storedKeysOf } from '../file-keys-table.ts'
import type { ShownFile } from '../list/shown-columns-table.ts'
import {
  deleteRevisions,
  earlierBytesOf,
  earlierRevisions,
  findRevision,
  insertRevisionOfFile,
  type Revision,
  updateContent,
} from './revisions-table.ts'

/** The revisions of a file, newest first, for those who may change it. */
export async function listRevisions(site: Site, caller: Caller, id: string): Promise<Revision[]> {
  const visibility = visibilityById(caller)
  const { file } = await readAgain(site, visibility, id)
  checkMayChange(visibility, file)
  const { revision, kind, mime, sizeBytes, width, height, md5 } = file
  const createdAt = file.replacedAt ?? file.createdAt
  const current = { revision, kind, mime, sizeBytes, width, height, md5, createdAt, replacedAt: undefined }
  return [current, ...(await earlierRevisions(site.db, id))]
}

/** Takes up the bytes of an earlier revision as a new one; those of today become an earlier revision. */
export function revertFile(
  site: ChangingSite,
  caller: Caller,
  { revision, ...target }: FileTarget & { revision: number },
): Promise<ShownFile> {
  return changeFile(site, caller, target, async (changing, _visibility, { file }) => {
    if (file.deletedAt) throw fileInTrash()
    if (revision === file.revision) return
    const { db, clock } = changing
    const content = await findRevision(db, file.id, revision)
    if (!content) throw revisionNotFound(revision)
    const now = clock.now()
    await lockSite(db)
    await insertRevisionOfFile(db, file.id, now)
    await dropDerivedOfFiles(changing, [file.id])
    await deleteRevisions(db, [{ fileId: file.id, revision }])
    const isApproved = file.isApproved && isApprovedAtOnce(caller, await readSettings(changing))
    await updateContent(db, file.id, { ...content, isApproved: Number(isApproved) }, now)
    const before = { revision: file.revision, md5: file.md5 }
    await recordChange(changing, {
      verb: 'file.replaced',
      target: file.id,
      before,
      after: { revertedTo: revision },
    })
  })
}

/**
 * Refuses to take up bytes that do not fit their row: they would replace sound ones. Reads all of them, so it runs before the
 * transaction of `revertFile`.
 */
export async function checkRevision(
  site: Site,
  caller: Caller,
  { id, revision }: { id: string; revision: number },
): Promise<void> {
  const visibility = visibilityById(caller)
  checkMayChange(visibility, (await readAgain(site, visibility, id)).file)
  const earlier = (await earlierBytesOf(site.db, [id])).find((bytes) => bytes.revision === revision)
  for (const known of earlier ? storedKeysOf(earlier) : []) {
    if ((await proveBytes(site.storage, known)).state !== 'sound') throw revisionDamaged(revision)
  }
}
