import { FairSlots } from '../../../lib/concurrency/fair-slots.ts'
import { Refusal } from '../../../lib/refusal.ts'

// A call lasts up to 10 seconds. Eight tenants whose providers are silent must be asked at once before another one waits.
const bounds = { inAll: 64, perTenant: 8, waiting: 256, waitMs: 5_000 }

/**
 * Limits concurrent calls to providers, of each tenant and of the process. They are not the slots of name look-ups: those are
 * short, and a provider that never answers would take them from uploads by URL.
 */
export const openProviderSlots = (): FairSlots => new FairSlots({ ...bounds, busy: providersBusy })

const providersBusy = () =>
  new Refusal(
    'unavailable',
    'providers-busy',
    'Too many requests to login providers are under way. Try again in a moment.',
  )
