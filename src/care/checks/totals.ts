import { allTotals, countRows, recountTotals, type TotalName } from '../../site/index.ts'
import { publishTotals } from '../../tenants/index.ts'
import type { SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { nameOfSite } from '../known-sites-table.ts'

export async function checkTotals({ app, known, site, live }: SiteUnderCare, note: Note): Promise<void> {
  const kept = await allTotals(site.db)
  const counted = await countRows(site.db)
  const repair = async () => {
    await recountTotals(live)
    await publishTotals(app.control, live)
    return 'counted anew'
  }
  for (const [name, value] of Object.entries(counted) as [TotalName, number][]) {
    if (kept[name] === value) continue
    const says = `It says ${kept[name]} ${name}, and has ${value}.`
    const todo = `tenants stats:refresh --id ${nameOfSite(known)}`
    await note({ isFault: true, tenant: nameOfSite(known), key: `total ${name}`, says, todo, repair })
  }
}
