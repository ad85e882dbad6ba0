import { inTransaction } from '../../db/index.ts'
import type { ChangingSite } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { invalidPreference, unauthenticated, unknownAlbum } from '../errors.ts'
import { isAlbumOf } from '../keys/user-keys-table.ts'
import { isPreference, type Preferences, readPreferences } from './preferences.ts'
import { lockUsers } from './users.ts'
import { findPreferences, updatePreferences } from './users-table.ts'

/** Changes the given preferences of the caller. The account's version stays: programs do not see them. */
export function editPreferences(
  site: ChangingSite,
  caller: UserCaller,
  edit: Partial<Preferences>,
): Promise<Preferences> {
  const invalid = (Object.keys(edit) as (keyof Preferences)[]).find((name) => !isPreference(name, edit[name]))
  if (invalid !== undefined) throw invalidPreference(invalid, String(edit[invalid]))
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, site.clock.now())
    const stored = await findPreferences(db, caller.userId)
    if (stored === undefined) throw unauthenticated()
    const { albumId = '' } = edit
    if (albumId !== '' && !(await isAlbumOf(db, caller.userId, albumId))) throw unknownAlbum()
    const preferences = { ...readPreferences(stored), ...edit }
    await updatePreferences(db, caller.userId, JSON.stringify(preferences))
    return preferences
  })
}
