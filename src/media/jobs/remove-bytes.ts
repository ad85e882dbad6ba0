import { batchSize, type JobContext } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { deleteRemovals, firstRemovals } from '../files/removal/removals-table.ts'

/** Removes the bytes of removal records, then the records. Storage keys are never reused. */
export async function removeBytes(site: Site, context: JobContext): Promise<number> {
  for (let count = 0; ; ) {
    const removals = await firstRemovals(site.db, batchSize)
    if (removals.length === 0) return count
    await removeBatch(site, context, removals)
    count += removals.length
    if (removals.length < batchSize || context.isOver) return count
  }
}

interface Removal {
  id: string
  path: string
}

async function removeBatch(site: Site, context: JobContext, removals: readonly Removal[]): Promise<void> {
  let removed = removals
  let fault: unknown
  try {
    await site.storage.remove(removals.map(({ path }) => path))
  } catch (error) {
    fault = error
    removed = await removeSingly(site, removals)
  }
  if (removed.length > 0) {
    await context.fencedTransaction((db) =>
      deleteRemovals(
        db,
        removed.map(({ id }) => id),
      ),
    )
  }
  if (removed.length < removals.length) throw fault
}

const maxFailures = 3

/** One key that cannot be removed must not block the others; after three failures the storage is taken for unavailable. */
async function removeSingly(site: Site, removals: readonly Removal[]): Promise<Removal[]> {
  const removed: Removal[] = []
  let failures = 0
  for (const removal of removals) {
    try {
      await site.storage.remove([removal.path])
      removed.push(removal)
    } catch {
      failures += 1
      if (failures === maxFailures) break
    }
  }
  return removed
}
