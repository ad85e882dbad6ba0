import { Refusal } from '../../../lib/refusal.ts'
import type { ReleaseSlot } from '../rate-limit.ts'

/** What an upload has cost so far. */
export interface Cost {
  isWork: boolean
}

/** Releases the slot if the upload fails, except when the client's file was refused after work was done for it. */
export async function withUploadSlot<T>(
  release: ReleaseSlot,
  cost: Cost,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!cost.isWork || isOurFault(error)) await release().catch(() => undefined)
    throw error
  }
}

/** A failure of the server does not count against the caller; a client that disconnects does. */
const isOurFault = (error: unknown): boolean =>
  !(error instanceof Refusal) || (error.kind === 'unavailable' && error.code !== 'caller-left')
