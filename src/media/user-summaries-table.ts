import type { Role } from '../accounts/index.ts'
import type { SiteDb } from '../db/index.ts'

/** A user with the totals of their files. */
export interface UserSummary {
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

export const userSorts = ['name', 'joined', 'files', 'storage'] as const
export type UserSort = (typeof userSorts)[number]

export interface UserSelection {
  /** Undefined for all roles. */
  role: Role | undefined
  /** What the user name or the e-mail address begins with, in any case. */
  prefix: string | undefined
  sort: UserSort
  offset: number
  limit: number
}

/** Names ascend; the youngest and the largest come first. */
const orders = {
  name: ['usernameKey', 'asc'],
  joined: ['createdAt', 'desc'],
  files: ['files', 'desc'],
  storage: ['storedBytes', 'desc'],
} as const satisfies Readonly<Record<UserSort, readonly [string, 'asc' | 'desc']>>

export async function userSummariesOf(db: SiteDb, selection: UserSelection): Promise<UserSummary[]> {
  const { role, prefix, sort, offset, limit } = selection
  const [column, direction] = orders[sort]
  let query = selectUsers(db).orderBy(column, direction).orderBy('id', direction).offset(offset).limit(limit)
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
  return (await query.execute()).map(userSummaryOfRow)
}

export async function findUserSummary(db: SiteDb, id: string): Promise<UserSummary | undefined> {
  const row = await selectUsers(db).where('user.id', '=', id).executeTakeFirst()
  return row && userSummaryOfRow(row)
}

const selectUsers = (db: SiteDb) =>
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

type UserSummaryRow = Awaited<ReturnType<ReturnType<typeof selectUsers>['execute']>>[number]

const userSummaryOfRow = (row: UserSummaryRow): UserSummary => ({
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
