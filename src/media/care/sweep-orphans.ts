import type { SiteDb } from '../../db/index.ts'
import { hasClockJumped } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { careDueAt, carryOn, type Shift, type Site, type SiteJob } from '../../site/index.ts'
import type { StoredKey } from '../../storage/index.ts'
import { waitInLine } from '../line.ts'
import { insertRemovals } from '../removals-table.ts'
import { keysOf } from '../stored-file.ts'
import { filesOfIds } from './kept-files-table.ts'

const pageSize = 500

/** An upload has long had its row, or never will. */
const oldestMs = 24 * 60 * 60_000

/** Finds stored bytes that no row knows of: what uploads left that were cut off. They are noted, to be removed. */
export const sweepOrphans: SiteJob = {
  name: 'sweep-orphans',
  does: 'orphans found',
  dueAt: (landmarks, values) => careDueAt('sweep-orphans', landmarks, values),
  async run(site, shift) {
    let count = 0
    // Bytes that have just come would look old, and their rows would come to find nothing.
    const isUnsafe = hasClockJumped()
    if (isUnsafe) shift.tell('Orphans are not looked for: the clock of this machine has jumped', {})
    await carryOn(site, shift, {
      name: 'sweep-orphans',
      async page(after) {
        if (isUnsafe) return undefined
        if (after === undefined) await site.storage.removeUnfinished(longAgo(site))
        const stored = await site.storage.list('', after, pageSize)
        count += await noteOrphans(site, shift, stored)
        return stored.length === pageSize ? stored.at(-1)?.key : undefined
      },
    })
    return count
  },
}

const longAgo = (site: Site) => new Date(site.clock.now().getTime() - oldestMs)

async function noteOrphans(site: Site, shift: Shift, stored: readonly StoredKey[]): Promise<number> {
  const now = site.clock.now()
  const isOld = ({ modifiedAt }: StoredKey) => modifiedAt < longAgo(site)
  const old = stored.filter(isOld).map(({ key }) => key)
  if ((await withoutRow(site.db, old)).length === 0) return 0
  const orphans = await shift.change(async (db) => {
    await waitInLine(db)
    const found = await withoutRow(db, old)
    const removals = found.map((path) => ({ id: randomId(), path }))
    if (removals.length > 0) await insertRemovals(db, removals, now)
    return found
  })
  if (orphans.length > 0) shift.tell('Stored files without a row are removed', { keys: orphans.slice(0, 20) })
  return orphans.length
}

async function withoutRow(db: SiteDb, keys: readonly string[]): Promise<string[]> {
  const ids = new Set(keys.map(idOf))
  const files = await filesOfIds(db, [...ids])
  const owned = new Set(files.flatMap((file) => keysOf({ ...file, variants: file.versions })))
  return keys.filter((key) => !owned.has(key))
}

/** As `keyOf` writes it: the id, then endings. */
const idOf = (key: string) => key.slice(key.lastIndexOf('/') + 1).split('.')[0] ?? ''
