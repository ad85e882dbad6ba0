import type { Caller } from '../accounts/index.ts'
import { readSettings, type Site } from '../site/index.ts'
import { notYourFile } from './errors.ts'
import type { StoredFile } from './files/stored-file.ts'
import type { Visibility } from './visibility-table.ts'

export { isListedTo, isOwn, isVisibleTo, type Visibility } from './visibility-table.ts'

/** What lists contain for the caller. */
export async function visibilityOf(site: Site, caller: Caller): Promise<Visibility> {
  const { listing } = await readSettings(site)
  const listsOthers = caller.kind === 'guest' ? listing === 'public' : listing !== 'off'
  return { ...visibilityById(caller), listsOthers }
}

/** For a file or album that the caller names: the setting `listing` rules lists alone, so no row is read. */
export const visibilityById = (caller: Caller): Visibility => ({
  seesAll: caller.kind === 'user' && caller.scope === 'admin' && caller.albumId === undefined,
  userId: caller.kind === 'user' ? caller.userId : undefined,
  albumId: caller.kind === 'user' ? caller.albumId : undefined,
  listsOthers: false,
  share: shareOf(caller),
})

function shareOf({ share }: Caller): Visibility['share'] {
  if (!share?.showsFiles || share.fileIds?.length === 0) return undefined
  const { albumId, fileId, fileIds } = share
  return { albumId, fileId, ...(fileIds && { fileIds }) }
}

/** What an operator sees. */
export const seesEverything: Visibility = {
  seesAll: true,
  userId: undefined,
  albumId: undefined,
  listsOthers: true,
}

/** Refuses a change of a file that the caller sees but may not change. */
export function checkMayChange(visibility: Visibility, file: StoredFile): void {
  if (!mayChange(visibility, file)) throw notYourFile()
}

export function mayChange({ seesAll, userId, albumId }: Visibility, file: StoredFile): boolean {
  const isInReach = albumId === undefined || file.albumId === albumId
  return seesAll || (userId !== undefined && file.userId === userId && isInReach)
}
