import { setTimeout } from 'node:timers/promises'
import { allTotals, totalNames } from '../../site/index.ts'
import { publishTotals } from '../../tenants/index.ts'
import type { SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { findKnownSite, nameOfSite } from '../known-sites-table.ts'

/** Longer than it takes to tell the installation what a site has counted. */
const patienceMs = 1_500

export async function checkToldTotals(care: SiteUnderCare, note: Note): Promise<void> {
  const first = await compare(care)
  if (!first || first.differing.length === 0) return
  // Somebody may be about to tell it, and where uploads come all the time there is always somebody.
  await setTimeout(patienceMs)
  const second = await compare(care)
  if (!second || second.told !== first.told || second.differing.length === 0) return
  const repair = async () => {
    await publishTotals(care.app.control, care.live)
    return 'told anew'
  }
  const tenant = nameOfSite(care.known)
  const says = `The installation tells other numbers than the site counts: ${second.differing.join(', ')}.`
  const todo = `tenants stats:refresh --id ${tenant}`
  await note({ isFault: true, tenant, key: `site ${care.known.number}`, says, todo, repair })
}

async function compare({ app: { control }, known, live }: SiteUnderCare) {
  const now = await findKnownSite(control.store.control, known.number)
  if (!now) return undefined
  const told = JSON.parse(now.stats)
  const totals = await allTotals(live.db)
  return { told: now.stats, differing: totalNames.filter((name) => told[name] !== totals[name]) }
}
