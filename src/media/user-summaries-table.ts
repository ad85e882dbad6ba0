import type { Role } from '../accounts/index.ts'
import type { SiteDb } from '../db/index.ts'

/** A user with what is theirs. */
export interface Person {
  id: string
  username: string
  email: string | undefined
  role: Role
  isBanned: boolean
  createdAt: Date
  version: number
  /** Without those in the trash. */
  files: number
  /** Of all files, with variants and those in the trash. */
  storedBytes: number
}

export const personSorts = ['name', 'joined', 'files', 'storage'] as const
export type PersonSort = (typeof personSorts)[number]

export interface PeopleSelection {
  /** Undefined for all roles. */
  role: Role | undefined
  /** What the user name or the e-mail address begins with, in any case. */
  prefix: string | undefined
  sort: PersonSort
  offset: number
  limit: number
}

/** Names ascend; the youngest and the largest come first. */
const orders = {
  name: ['usernameKey', 'asc'],
  joined: ['createdAt', 'desc'],
  files: ['files', 'desc'],
  storage: ['storedBytes', 'desc'],
} as const satisfies Readonly<Record<PersonSort, readonly [string, 'asc' | 'desc']>>

export async function peopleOf(db: SiteDb, selection: PeopleSelection): Promise<Person[]> {
  const { role, prefix, sort, offset, limit } = selection
  const [column, direction] = orders[sort]
  let query = people(db).orderBy(column, direction).orderBy('id', direction).offset(offset).limit(limit)
  if (role !== undefined) query = query.where('user.role', '=', role)
  if (prefix !== undefined) {
    // A text begins with the prefix if it lies between it and the last text that does: both stores compare by code points.
    const [from, to] = [prefix.toLowerCase(), `${prefix.toLowerCase()}\u{10ffff}`]
    query = query.where((eb) =>
      eb.or([
        eb.and([eb('user.usernameKey', '>=', from), eb('user.usernameKey', '<', to)]),
        eb.and([eb('user.emailKey', '>=', from), eb('user.emailKey', '<', to)]),
      ]),
    )
  }
  return (await query.execute()).map(personOfRow)
}

export async function findPerson(db: SiteDb, id: string): Promise<Person | undefined> {
  const row = await people(db).where('user.id', '=', id).executeTakeFirst()
  return row && personOfRow(row)
}

const people = (db: SiteDb) =>
  db
    .selectFrom('user')
    .select(['user.id', 'user.username', 'user.email', 'user.role', 'user.isBanned', 'user.version'])
    .select(['user.usernameKey', 'user.createdAt'])
    .select((eb) => [
      eb
        .selectFrom('file')
        .select((file) => file.fn.countAll<number>().as('count'))
        .whereRef('file.userId', '=', 'user.id')
        .where('file.deletedAt', 'is', null)
        .as('files'),
      eb
        .selectFrom('file')
        .select((file) => file.fn.coalesce(file.fn.sum<number>('file.storedBytes'), file.lit(0)).as('bytes'))
        .whereRef('file.userId', '=', 'user.id')
        .as('storedBytes'),
    ])

type PersonRow = Awaited<ReturnType<ReturnType<typeof people>['execute']>>[number]

const personOfRow = (row: PersonRow): Person => ({
  id: row.id,
  username: row.username,
  email: row.email || undefined,
  role: row.role,
  version: row.version,
  isBanned: row.isBanned === 1,
  createdAt: new Date(row.createdAt),
  files: Number(row.files ?? 0),
  storedBytes: Number(row.storedBytes ?? 0),
})
