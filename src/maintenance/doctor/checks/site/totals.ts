import { allTotals, countRows, recountTotals, type TotalName } from '../../../../site/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

export async function checkTotals({ app, record, site, live }: InspectedSite, note: Note): Promise<void> {
  const stored = await allTotals(site.db)
  const counted = await countRows(site.db)
  const repair = async () => {
    await changeSite(app.control, live, recountTotals)
    return 'counted again'
  }
  for (const [name, value] of Object.entries(counted) as [TotalName, number][]) {
    if (stored[name] === value) continue
    const says = `The total ${name} is ${stored[name]}, but there are ${value}.`
    const todo = `tenants stats:refresh --id ${nameOfSite(record)}`
    await note({ isFault: true, tenant: nameOfSite(record), key: `total ${name}`, says, todo, repair })
  }
}
