import { noSuchUser, type UserCaller } from '../accounts/index.ts'
import { isId } from '../lib/ids.ts'
import type { Site } from '../site/index.ts'
import {
  findUserSummary,
  type UserSelection,
  type UserSummary,
  userSummariesOf,
} from './user-summaries-table.ts'

/** A page of the users that the caller manages. Managers see users of the role `user`. */
export const listUserSummaries = (
  site: Site,
  caller: UserCaller,
  selection: Omit<UserSelection, 'role'>,
): Promise<UserSummary[]> =>
  userSummariesOf(site.db, { ...selection, role: caller.role === 'admin' ? undefined : 'user' })

/** A page of all users, for operators. */
export const listAllUsers = ({ db }: Site, selection: Omit<UserSelection, 'role'>): Promise<UserSummary[]> =>
  userSummariesOf(db, { ...selection, role: undefined })

/** A user whom the caller does not manage is answered as one who does not exist. */
export async function readUserSummary(site: Site, caller: UserCaller, id: string): Promise<UserSummary> {
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const user = isId(id) ? await findUserSummary(site.db, id) : undefined
  if (!user || (caller.role !== 'admin' && user.role !== 'user'))
    throw noSuchUser(id.slice(0, 64).replaceAll('\0', ''))
  return user
}
