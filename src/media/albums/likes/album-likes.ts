import type { UserCaller } from '../../../accounts/index.ts'
import { addToTotal, type ChangingSite } from '../../../site/index.ts'
import { albumNotFound } from '../../errors.ts'
import { visibilityById } from '../../visibility.ts'
import { findVisibleAlbum } from '../album-lists-table.ts'
import { asKnown } from '../own-albums.ts'
import { addAlbumLikes, deleteAlbumLike, insertAlbumLike } from './album-likes-table.ts'

/** Likes an album that the caller sees, or takes the like back. May be repeated. */
export async function likeAlbum(
  site: ChangingSite,
  caller: UserCaller,
  { id, isLiked }: { id: string; isLiked: boolean },
): Promise<void> {
  await asKnown(site, caller, async ({ db, clock }) => {
    // Locks the total before the rows, as the deletion of an album does.
    await addToTotal(db, 'albumLikes', 0)
    if (!(await findVisibleAlbum(db, visibilityById(caller), id))) throw albumNotFound(id)
    const like = { albumId: id, userId: caller.userId }
    const isChanged = isLiked ? await insertAlbumLike(db, like, clock.now()) : await deleteAlbumLike(db, like)
    if (!isChanged) return
    const change = isLiked ? 1 : -1
    await addToTotal(db, 'albumLikes', change)
    await addAlbumLikes(db, id, change)
  })
}
