import { inTransaction } from '../../db/index.ts'
import {
  type ChangingSite,
  changeSettings,
  readSettings,
  type SettingName,
  type Settings,
  settingsChanged,
} from '../../site/index.ts'
import type { UserCaller } from '../actor.ts'
import { secondStepFirst } from '../login/errors.ts'
import { findTotp } from '../login/totp-table.ts'
import { checkStillAdministrator } from './manage-users.ts'
import { lockUsers } from './users.ts'

/** For an administrator: changes all of these settings or none. With `seen` each must still be what the caller has seen. */
export function changeSettingsAs(
  site: ChangingSite,
  caller: UserCaller,
  edit: ReadonlyMap<SettingName, string | null>,
  seen: ReadonlyMap<SettingName, string> = new Map(),
): Promise<Settings> {
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillAdministrator(db, caller, site.clock.now())
    const current = await readSettings({ ...site, db })
    const changed = [...edit.keys()].filter((name) => seen.has(name) && seen.get(name) !== current[name])
    if (changed.length > 0) throw settingsChanged(changed)
    if (edit.get('require_second_step') === '1' && !(await findTotp(db, caller.userId)))
      throw secondStepFirst()
    await changeSettings({ ...site, db }, edit)
    return readSettings({ ...site, db })
  })
}
