import { noSuchUser, type UserCaller } from '../accounts/index.ts'
import { isId } from '../lib/ids.ts'
import type { Site } from '../site/index.ts'
import { findPerson, type PeopleSelection, type Person, peopleOf } from './user-summaries-table.ts'

/** A page of the users that the caller manages. Managers see users of the role `user`. */
export const listPeople = (
  site: Site,
  caller: UserCaller,
  selection: Omit<PeopleSelection, 'role'>,
): Promise<Person[]> =>
  peopleOf(site.db, { ...selection, role: caller.role === 'admin' ? undefined : 'user' })

/** A user whom the caller does not manage is answered as one who does not exist. */
export async function readPerson(site: Site, caller: UserCaller, id: string): Promise<Person> {
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const person = isId(id) ? await findPerson(site.db, id) : undefined
  if (!person || (caller.role !== 'admin' && person.role !== 'user'))
    throw noSuchUser(id.slice(0, 64).replaceAll('\0', ''))
  return person
}
