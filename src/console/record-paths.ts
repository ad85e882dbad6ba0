import { consolePath } from './console-call.ts'

/** `tenants/new` and `plans/new` are forms: the page of a tenant or plan with this id has an address that no id can have. */
const pathOf = (part: 'tenants' | 'plans', id: string): string =>
  consolePath(id === 'new' ? `${part}/-/new` : `${part}/${encodeURIComponent(id)}`)

export const tenantPath = (id: string): string => pathOf('tenants', id)
export const planPath = (id: string): string => pathOf('plans', id)
