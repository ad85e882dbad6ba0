import { type Actor, checkStillKnown } from '../accounts/index.ts'
import type { Site } from '../site/index.ts'
import { findAlbum } from './albums-table.ts'
import { hasCategory } from './categories-table.ts'
import { notYourAlbum, unknownCategory } from './errors.ts'
import type { UploadRequest } from './upload-request.ts'

/**
 * A caller, an album or a category may have gone while the bytes came in. Asked again in the line, where whoever
 * deletes one of them waits too, so that nothing is stored for what is not there.
 */
export async function checkStillPossible(
  { db, clock }: Site,
  actor: Actor,
  { albumId, categoryId }: UploadRequest,
): Promise<void> {
  await checkStillKnown(db, actor, clock.now())
  if (albumId !== undefined && !(await findAlbum(db, albumId))) throw notYourAlbum()
  if (categoryId !== undefined && !(await hasCategory(db, categoryId))) throw unknownCategory()
}
