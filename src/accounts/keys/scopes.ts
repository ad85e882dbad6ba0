import type { SiteTables } from '../../db/index.ts'
import type { Role } from '../users/users-table.ts'

/** What a key may do. A session has the scope `write`, or `admin` by the user's role. */
export type Scope = SiteTables['userKey']['scope']

/** From the weakest to the strongest. */
export const scopes: readonly Scope[] = ['upload', 'read', 'write', 'admin']

type Ability = 'upload' | 'read' | 'write' | 'admin'

const abilities: Readonly<Record<Scope, readonly Ability[]>> = {
  upload: ['upload'],
  read: ['read'],
  write: ['upload', 'read', 'write'],
  admin: ['upload', 'read', 'write', 'admin'],
}

export const hasAbility = (scope: Scope, ability: Ability): boolean => abilities[scope].includes(ability)

export const isStronger = (scope: Scope, than: Scope): boolean => scopes.indexOf(scope) > scopes.indexOf(than)

/** The role is read with each call: the key of a demoted administrator counts as `write`. */
export const effectiveScope = (scope: Scope, role: Role): Scope =>
  scope === 'admin' && role === 'user' ? 'write' : scope

export const scopeOfSession = (role: Role): Scope => effectiveScope('admin', role)
