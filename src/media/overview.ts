import type { UserCaller } from '../accounts/index.ts'
import { allTotals, type LimitName, limitOf, type Site, type TotalName } from '../site/index.ts'
import { countShownFiles, listShownFiles } from './files/list/list-files.ts'
import type { ShownFile } from './files/list/shown-columns-table.ts'
import { countReported } from './reports/list-reported.ts'

const limited = [
  ['files', 'SERVICE_MAX_FILES'],
  ['storageUsed', 'SERVICE_MAX_STORAGE'],
  ['users', 'SERVICE_MAX_USERS'],
  ['albums', 'SERVICE_MAX_ALBUMS'],
] as const satisfies readonly (readonly [TotalName, LimitName])[]

/** What the dashboard of a site begins with. */
export interface Overview {
  /** The totals that may have a limit. */
  uses: readonly { total: (typeof limited)[number][0]; used: number; limit: number | undefined }[]
  /** Files that wait for approval, counted up to `mostPending`. */
  pending: number
  /** Files that were reported and not decided on. */
  reported: number
  newest: readonly ShownFile[]
}

export const mostPending = 1_000
const newestCount = 12

/** For administrators and managers. */
export async function readOverview(site: Site, caller: UserCaller): Promise<Overview> {
  const totals = await allTotals(site.db)
  return {
    uses: limited.map(([total, limit]) => ({
      total,
      used: totals[total],
      limit: limitOf(site.values, limit),
    })),
    pending: await countShownFiles(site, caller, { selection: { isApproved: false }, most: mostPending }),
    reported: await countReported(site),
    newest: await listShownFiles(site, caller, {
      selection: {},
      sort: { by: 'created', isDescending: true },
      after: undefined,
      limit: newestCount,
      hasExif: false,
    }),
  }
}
