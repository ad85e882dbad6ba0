import {
  allTotals,
  countRows,
  recountTotals,
  type TotalName,
  wrongLabelTotals,
  wrongUserTotals,
} from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { nameOfSite } from '../site-records-table.ts'
import type { InspectedSite } from './check.ts'
import type { ReportFinding } from './finding.ts'

export async function checkTotals(
  { app, record, site, live }: InspectedSite,
  report: ReportFinding,
): Promise<void> {
  const stored = await allTotals(site.db)
  const counted = await countRows(site.db)
  const repair = async () => {
    await changeSite(app.control, live, recountTotals)
    return 'recounted'
  }
  const tenant = nameOfSite(record)
  const todo = `Run: tenants stats:refresh --id ${tenant}`
  for (const [name, value] of Object.entries(counted) as [TotalName, number][]) {
    if (stored[name] === value) continue
    const says = `The total ${name} is ${stored[name]}, but the rows add up to ${value}.`
    await report({ isFault: true, tenant, key: `total ${name}`, says, todo, repair })
  }
  for (const { userId, stored, counted } of await wrongUserTotals(site.db)) {
    const says = `The user ${userId} is counted with ${stored.files} files and ${stored.storageUsed} bytes, but the rows add up to ${counted.files} files and ${counted.storageUsed} bytes.`
    await report({ isFault: true, tenant, key: `user total ${userId}`, says, todo, repair })
  }
  for (const { kind, label, userId, files, listed } of await wrongLabelTotals(site.db)) {
    const whose = userId === '' ? '' : ` of the user ${userId}`
    const says = `The ${kind} ${label} is counted with ${-files} files${whose} more than the rows add up to, ${-listed} of them in lists.`
    await report({
      isFault: true,
      tenant,
      key: `${kind} total ${label} ${userId}`.trimEnd(),
      says,
      todo,
      repair,
    })
  }
}
