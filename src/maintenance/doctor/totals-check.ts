import { message } from '../../lib/messages.ts'
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
import { type ReportFinding, sentences } from './finding.ts'

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
  const todo = message('runCommand', { command: `tenants stats:refresh --id ${tenant}` })
  for (const [name, value] of Object.entries(counted) as [TotalName, number][]) {
    if (stored[name] === value) continue
    const says = message('totalWrong', { name, stored: stored[name], counted: value })
    await report({ isFault: true, tenant, key: `total ${name}`, ...sentences(says, todo), repair })
  }
  for (const { userId, stored, counted } of await wrongUserTotals(site.db)) {
    const says = message('userTotalWrong', {
      id: userId,
      files: stored.files,
      used: stored.storageUsed,
      filesNow: counted.files,
      usedNow: counted.storageUsed,
    })
    await report({ isFault: true, tenant, key: `user total ${userId}`, ...sentences(says, todo), repair })
  }
  for (const { kind, label, userId, files, listed } of await wrongLabelTotals(site.db)) {
    const total = { kind, label, files: -files, listed: -listed }
    const says =
      userId === ''
        ? message('labelTotalWrong', total)
        : message('labelTotalOfUserWrong', { ...total, id: userId })
    await report({
      isFault: true,
      tenant,
      key: `${kind} total ${label} ${userId}`.trimEnd(),
      ...sentences(says, todo),
      repair,
    })
  }
}
