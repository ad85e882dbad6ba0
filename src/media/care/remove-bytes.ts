import { batchSize, type Shift, type Site, type SiteJob } from '../../site/index.ts'
import { deleteRemovals, firstRemovals } from '../removals-table.ts'

/** Removes the bytes that nobody refers to any more, then the notes of them. No key is ever used twice. */
export const removeBytes: SiteJob = {
  name: 'remove-bytes',
  does: 'stored files removed',
  dueAt: ({ removalAt }) => removalAt,
  async run(site, shift) {
    for (let count = 0; ; ) {
      const removals = await firstRemovals(site.db, batchSize)
      if (removals.length === 0) return count
      await removeSome(site, shift, removals)
      count += removals.length
      if (removals.length < batchSize || shift.isOver) return count
    }
  },
}

interface Removal {
  id: string
  path: string
}

async function removeSome(site: Site, shift: Shift, removals: readonly Removal[]): Promise<void> {
  let gone = removals
  let fault: unknown
  try {
    await site.storage.remove(removals.map(({ path }) => path))
  } catch (error) {
    fault = error
    gone = await removeSingly(site, removals)
  }
  if (gone.length > 0) {
    await shift.change((db) =>
      deleteRemovals(
        db,
        gone.map(({ id }) => id),
      ),
    )
  }
  if (gone.length < removals.length) throw fault
}

const mostFailures = 3

/** One that cannot be removed must not keep the others. A storage that is away is not asked a hundred times. */
async function removeSingly(site: Site, removals: readonly Removal[]): Promise<Removal[]> {
  const gone: Removal[] = []
  let failures = 0
  for (const removal of removals) {
    try {
      await site.storage.remove([removal.path])
      gone.push(removal)
    } catch {
      failures += 1
      if (failures === mostFailures) break
    }
  }
  return gone
}
