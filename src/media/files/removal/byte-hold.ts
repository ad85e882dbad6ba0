import { randomHex } from '../../../lib/ids.ts'
import type { Site } from '../../../site/index.ts'
import { deleteByteHold, deleteEndedByteHolds, upsertByteHold } from './byte-holds-table.ts'

const heldMs = 10 * 60_000
const renewEveryMs = 60_000

/**
 * Keeps the bytes of files that are deleted meanwhile, on every server, until it is disposed: an export copies the bytes of
 * one moment. It must be held before the rows of that moment are read, because a deletion looks for it after its commit. The
 * hold of a killed process ends after ten minutes; the job `remove-bytes` then removes what has waited.
 */
export async function holdBytes({ db, clock }: Pick<Site, 'db' | 'clock'>): Promise<AsyncDisposable> {
  const token = randomHex(12)
  const renew = () => upsertByteHold(db, token, new Date(clock.now().getTime() + heldMs))
  await deleteEndedByteHolds(db, clock.now())
  await renew()
  // A renewal that fails is repeated nine times before the hold ends.
  const timer = setInterval(() => void renew().catch(() => undefined), renewEveryMs).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // A renewal may still be under way; its hold ends by itself, and so does one that cannot be deleted.
      await deleteByteHold(db, token).catch(() => undefined)
    },
  }
}
