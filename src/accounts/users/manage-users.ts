import { inTransaction, type SiteDb } from '../../db/index.ts'
import {
  type ChangingSite,
  changeSettings,
  readSettings,
  type SettingName,
  type Settings,
  type Site,
  settingsChanged,
} from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import type { CreatedPosition } from '../created-position-table.ts'
import { mayOnlyBan, noSuchUser, notAdministrator } from '../errors.ts'
import { secondStepFirst } from '../login/errors.ts'
import { findTotp } from '../login/totp-table.ts'
import { applyEdit, type EditedUser, type UserEdit } from './edit-user.ts'
import { addUser, type HashedAccount, lockUsers } from './users.ts'
import { findUser, type ListedUser, type Role, usersAfter } from './users-table.ts'

/** Refuses a change of another version than the caller expects. */
export type CheckVersion = (version: number) => void

/** A page of the users that the caller manages, the youngest first. */
export const listUsers = (
  site: Site,
  caller: UserCaller,
  { prefix, ...page }: { prefix: string | undefined; after: CreatedPosition | undefined; limit: number },
): Promise<ListedUser[]> => usersAfter(site.db, { role: managedRole(caller), prefix }, page)

export const readUser = (site: Site, caller: UserCaller, id: string): Promise<ListedUser> =>
  managedUser(site.db, caller, id)

export function addUserAs(
  site: ChangingSite,
  caller: UserCaller,
  account: HashedAccount,
): Promise<ListedUser> {
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillAdministrator(db, caller, site.clock.now())
    return addUser({ ...site, db }, account)
  })
}

/** Managers ban users and lift bans; administrators change everything. */
export function editUserAs(
  site: ChangingSite,
  caller: UserCaller,
  { id, edit, checkVersion }: { id: string; edit: UserEdit; checkVersion: CheckVersion },
): Promise<EditedUser> {
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const role = await currentRole(db, caller, site.clock.now())
    const user = await managedUser(db, { role }, id)
    const { isBanned: _, ...rest } = edit
    const isBanAlone = Object.values(rest).every((value) => value === undefined)
    if (role !== 'admin' && !isBanAlone) throw mayOnlyBan()
    checkVersion(user.version)
    return applyEdit({ ...site, db }, user, edit)
  })
}

export async function checkStillAdministrator(db: SiteDb, caller: UserCaller, now: Date): Promise<void> {
  if ((await currentRole(db, caller, now)) !== 'admin') throw notAdministrator()
}

/** The role is read again: the caller may have been demoted since the call began. */
async function currentRole(db: SiteDb, caller: UserCaller, now: Date): Promise<Role> {
  await checkStillKnown(db, caller, now)
  const user = await findUser(db, caller.userId)
  if (!user || user.role === 'user') throw notAdministrator()
  return user.role
}

type Manager = Pick<UserCaller, 'role'>

/** Managers see users of the role `user`; to them all others do not exist. */
async function managedUser(db: SiteDb, manager: Manager, id: string): Promise<ListedUser> {
  const user = await findUser(db, id)
  const role = managedRole(manager)
  if (!user || (role !== undefined && user.role !== role)) throw noSuchUser(id)
  return user
}

const managedRole = ({ role }: Manager): Role | undefined => (role === 'admin' ? undefined : 'user')

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
