import { setTimeout } from 'node:timers/promises'
import { allTotals, totalNames } from '../../../../site/index.ts'
import { syncStats } from '../../../../tenants/index.ts'
import { findSiteRecord, nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** Longer than a sync takes. */
const patienceMs = 1_500

export async function checkStatsInSync(inspected: InspectedSite, note: Note): Promise<void> {
  const first = await compare(inspected)
  if (!first || first.differing.length === 0) return
  // A sync may be in progress, and on a busy site there always is one.
  await setTimeout(patienceMs)
  const second = await compare(inspected)
  if (!second || second.stored !== first.stored || second.differing.length === 0) return
  const repair = async () => {
    await syncStats(inspected.app.control, inspected.live)
    return 'synced'
  }
  const tenant = nameOfSite(inspected.record)
  const says = `The stored stats differ from the site's totals: ${second.differing.join(', ')}.`
  const todo = `tenants stats:refresh --id ${tenant}`
  await note({ isFault: true, tenant, key: `site ${inspected.record.number}`, says, todo, repair })
}

async function compare({ app: { control }, record, live }: InspectedSite) {
  const now = await findSiteRecord(control.store.control, record.number)
  if (!now) return undefined
  const stats = JSON.parse(now.stats)
  const totals = await allTotals(live.db)
  return { stored: now.stats, differing: totalNames.filter((name) => stats[name] !== totals[name]) }
}
