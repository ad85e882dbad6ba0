import type { UserCaller } from '../../../accounts/index.ts'
import { inTransaction } from '../../../db/index.ts'
import { addToTotal, type ChangingSite } from '../../../site/index.ts'
import { fileInTrash, noSuchFile } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { visibilityById } from '../../visibility.ts'
import { findShownFiles } from '../list/shown-by-id-table.ts'
import { addToLikes, deleteLike, insertLike } from './likes-table.ts'

/** Lets a user like a file, or like it no more. May be repeated. */
export function likeFile(
  site: ChangingSite,
  caller: UserCaller,
  { id, isLiked }: { id: string; isLiked: boolean },
): Promise<void> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    const now = site.clock.now()
    const visibility = visibilityById(caller)
    const [shown] = await findShownFiles(db, visibility, { ids: [id] }, now)
    if (!shown) throw noSuchFile(id)
    if (shown.file.deletedAt) throw fileInTrash()
    const like = { fileId: id, userId: caller.userId }
    const isChanged = isLiked ? await insertLike(db, like, now) : await deleteLike(db, like)
    if (!isChanged) return
    const by = isLiked ? 1 : -1
    await addToTotal(db, 'fileLikes', by)
    await addToLikes(db, id, by)
  })
}
