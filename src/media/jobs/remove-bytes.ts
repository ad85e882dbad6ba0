import type { SiteDb } from '../../db/index.ts'
import { hasClockJumped } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { batchSize, type JobContext, runPaged } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import type { StoredKey } from '../../storage/index.ts'
import { fileKeysOfIds, idOfKey } from '../files/file-keys-table.ts'
import { hasByteHold } from '../files/removal/byte-holds-table.ts'
import { deleteRemovals, firstRemovals, insertRemovals } from '../files/removal/reserved-names-table.ts'
import { lockSite } from '../lock-site.ts'

/** Removes the bytes of removal records, then the records. Storage keys are never reused. */
export async function removeBytes(site: Site, context: JobContext): Promise<number> {
  for (let count = 0; ; ) {
    const removals = await firstRemovals(site.db, batchSize)
    if (await hasByteHold(site.db, site.clock.now())) return count
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

const pageSize = 500

/** After this time an upload has its row, or never will. */
const minAgeMs = 24 * 60 * 60_000

/** Finds stored bytes without a row, left by interrupted uploads, and writes removal records for them. */
export async function sweepOrphans(site: Site, context: JobContext): Promise<number> {
  let count = 0
  // With a wrong clock the bytes of a running upload look old and would be removed before its row is inserted.
  const isUnsafe = hasClockJumped()
  if (isUnsafe) context.warn('Orphans are not swept: the clock of this machine has jumped', {})
  await runPaged(site, context, {
    name: 'sweep-orphans',
    async page(after) {
      if (isUnsafe) return undefined
      if (after === undefined) await site.storage.removeUnfinished('', longAgo(site))
      const stored = await site.storage.list('', after, pageSize)
      count += await recordOrphans(site, context, stored)
      return stored.length === pageSize ? stored.at(-1)?.key : undefined
    },
  })
  return count
}

const longAgo = (site: Site) => new Date(site.clock.now().getTime() - minAgeMs)

async function recordOrphans(site: Site, context: JobContext, stored: readonly StoredKey[]): Promise<number> {
  const now = site.clock.now()
  const isOld = ({ modifiedAt }: StoredKey) => modifiedAt < longAgo(site)
  const old = stored.filter(isOld).map(({ key }) => key)
  if ((await withoutRow(site.db, old)).length === 0) return 0
  const orphans = await context.fencedTransaction(async (db) => {
    await lockSite(db)
    const found = await withoutRow(db, old)
    const removals = found.map((path) => ({ id: randomId(), path }))
    if (removals.length > 0) await insertRemovals(db, removals, now)
    return found
  })
  if (orphans.length > 0)
    context.warn('Orphaned stored files will be removed', { keys: orphans.slice(0, 20) })
  return orphans.length
}

async function withoutRow(db: SiteDb, keys: readonly string[]): Promise<string[]> {
  const ids = new Set(keys.map(idOfKey))
  const files = await fileKeysOfIds(db, [...ids])
  const owned = new Set(files.flatMap(({ keys: owning }) => owning.map(({ key }) => key)))
  return keys.filter((key) => !owned.has(key))
}
