import type { Control } from '../../control/index.ts'
import { randomId } from '../../lib/ids.ts'
import { pathsOfProtected } from '../../media/index.ts'
import { deletePurges, firstPurges, mostPaths, type Site, type SitePurge } from '../../site/index.ts'
import { useSite } from '../open-site.ts'
import { insertPurges, type PurgeRow } from './purges-table.ts'

const atOnce = 50

/**
 * Moves the purges of a site into the control database, where servers find what is due without a look at every site. It may be repeated:
 * rows keep their ids.
 */
export const relayPurges = (control: Control, number: number): Promise<void> =>
  useSite(control, number, async (site) => {
    for (;;) {
      const purges = await firstPurges(site.db, atOnce)
      if (purges.length === 0) return
      for (const purge of purges) await relayOne(control, site, purge)
      await deletePurges(
        site.db,
        purges.map(({ id }) => id),
      )
    }
  })

async function relayOne(control: Control, site: Site, { scope, ...purge }: SitePurge): Promise<void> {
  const { tenantId = '' } = site
  const waiting = {
    tenantId,
    nextAt: control.clock.now().toISOString(),
    attempts: 0,
    triedAt: null,
    fault: null,
  }
  const insert = (rows: readonly PurgeRow[]) => insertPurges(control.store.control, rows)
  if (scope === 'files') return insert([{ ...purge, ...waiting }])
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await pathsOfProtected(site.db, after)
    const all = page.files.flatMap(({ id, paths }) => paths.map((path) => ({ id, path })))
    const batches = Array.from({ length: Math.ceil(all.length / mostPaths) }, (_, index) =>
      all.slice(index * mostPaths, (index + 1) * mostPaths),
    )
    await insert(
      batches.map((batch) => ({
        ...purge,
        ...waiting,
        id: randomId(20),
        paths: JSON.stringify(batch.map(({ path }) => path)),
        fileIds: JSON.stringify([...new Set(batch.map(({ id }) => id))]),
      })),
    )
    after = page.last
  }
}
