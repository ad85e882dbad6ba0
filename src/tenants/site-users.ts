import { countPasskeysAt } from '../accounts/index.ts'
import type { Control } from '../control/index.ts'
import { listAllUsers, type UserSort, type UserSummary } from '../media/index.ts'
import { openSite, orTenantNotFound } from './open-site.ts'
import type { Tenant } from './tenants.ts'

interface AskedUsers {
  /** What the user name or the e-mail address begins with, in any case. */
  prefix: string | undefined
  sort: UserSort
  offset: number
  limit: number
}

export interface SiteUsers {
  users: UserSummary[]
  /** Of all users. Browsers offer a passkey only at the hostname that it was made for. */
  passkeys: number
}

/** A page of the users of a tenant, for operators. A site that is not installed has none. */
export async function readSiteUsers(control: Control, tenant: Tenant, asked: AskedUsers): Promise<SiteUsers> {
  if (!tenant.isInstalled) return { users: [], passkeys: 0 }
  await using site = await openSite(control, tenant)
  return await orTenantNotFound(control, tenant, async () => ({
    users: await listAllUsers(site, asked),
    passkeys: await countPasskeysAt(site.db, tenant.hostname),
  }))
}
