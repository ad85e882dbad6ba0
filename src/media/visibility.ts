import type { Caller } from '../accounts/index.ts'
import { readSettings, type Site } from '../site/index.ts'
import type { Sight } from './visibility-table.ts'

export { isListedTo, isOwn, isVisibleTo, type Sight } from './visibility-table.ts'

/** What lists contain for the caller. */
export async function sightOf(site: Site, caller: Caller): Promise<Sight> {
  const { listing } = await readSettings(site)
  const listsOthers = caller.kind === 'guest' ? listing === 'public' : listing !== 'off'
  return { ...sightById(caller), listsOthers }
}

/** For a file or album that the caller names: the setting `listing` rules lists alone, so no row is read. */
export const sightById = (caller: Caller): Sight => ({
  seesAll: caller.kind === 'user' && caller.scope === 'admin' && caller.albumId === undefined,
  userId: caller.kind === 'user' ? caller.userId : undefined,
  albumId: caller.kind === 'user' ? caller.albumId : undefined,
  listsOthers: false,
  share: shareOf(caller),
})

const shareOf = ({ share }: Caller) =>
  share?.hasSight ? { albumId: share.albumId, fileId: share.fileId } : undefined

/** The sight of an operator. */
export const seesEverything: Sight = {
  seesAll: true,
  userId: undefined,
  albumId: undefined,
  listsOthers: true,
}
