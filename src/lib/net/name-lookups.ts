import { FairSlots, type TenantSlots } from '../concurrency/fair-slots.ts'
import type { Processes } from '../processes/processes.ts'
import { shareTenantSlots } from '../processes/shared-slots.ts'
import { Refusal } from '../refusal.ts'
import { nameResolver, type ResolveName } from './name-resolver.ts'

/** Look-ups of hostnames that clients give: their name servers may be silent on purpose. */
export interface NameLookups {
  readonly resolve: ResolveName
  /** Limits concurrent look-ups, of each tenant and of the server. */
  readonly slots: TenantSlots
}

// A look-up costs a UDP socket for up to 3 seconds. Sixteen tenants must flood at once before another one waits.
const bounds = { inAll: 128, perTenant: 8, waiting: 512, waitMs: 5_000 }

export const openNameLookups = (
  servers: readonly string[] | undefined,
  processes: Processes,
): NameLookups => ({
  resolve: nameResolver({ servers }),
  slots: shareTenantSlots(processes, 'lookup', new FairSlots({ ...bounds, busy: lookupsBusy })),
})

const lookupsBusy = () =>
  new Refusal('unavailable', 'lookups-busy', 'Too many hostnames are being looked up. Try again in a moment.')
