import type { Role } from './users/users-table.ts'

const staff: readonly Role[] = ['admin', 'manager']
const administrators: readonly Role[] = ['admin']

/**
 * Who may do what for the whole site: the one table that the pages, the API and the documents (docs/pages.md) read. By key
 * the scope `admin` is needed too.
 */
export const rolesOfRight = {
  'see-statistics': staff,
  'moderate-files': staff,
  'see-albums': staff,
  'manage-tags': staff,
  'manage-categories': staff,
  /** Managers see users of the role `user` alone. */
  'ban-users': staff,
  'manage-users': administrators,
  'write-pages': administrators,
  'change-settings': administrators,
  'manage-providers': administrators,
  'see-storages': administrators,
  'read-audit': administrators,
} as const satisfies Record<string, readonly Role[]>

export type Right = keyof typeof rolesOfRight

export const rights = Object.keys(rolesOfRight) as readonly Right[]

export const isRight = (text: string): text is Right => Object.hasOwn(rolesOfRight, text)

export const mayDo = (role: Role, right: Right): boolean => rolesOfRight[right].includes(role)

export const isStaff = (role: Role): boolean => staff.includes(role)
