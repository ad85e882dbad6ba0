import type { Control } from '../../control/index.ts'
import { suspendedBy } from '../../site/index.ts'
import { mergedValues } from '../values/effective.ts'
import { undefinedIfUnreadable } from '../values/field-rules.ts'
import type { OverviewIndex } from './overview-index.ts'

/** Tenants that a quota has suspended. Only those with a quota that is used up are looked at. */
export async function suspendedTenants(control: Control, index: OverviewIndex): Promise<string[]> {
  const found: string[] = []
  for (const { overQuota } of [...index.tenants()]) {
    if (!overQuota) continue
    const { tenant, quotas } = overQuota
    // The plan may be the one that no key decrypts.
    const values = await mergedValues(control, tenant).catch(undefinedIfUnreadable)
    if (values && suspendedBy({ quotas, values, clock: control.clock }) !== undefined) found.push(tenant.id)
  }
  return found
}
