import type { UserCaller } from '../accounts/index.ts'
import {
  allTotals,
  type LimitName,
  limitOf,
  readQuotaUse,
  type Site,
  type TotalName,
  type Totals,
} from '../site/index.ts'
import { countShownFiles, listShownFiles } from './files/list/list-files.ts'
import type { ShownFile } from './files/list/shown-columns-table.ts'
import { countReported } from './reports/list-reported.ts'
import { sumReservedBytes } from './resumable/reserved-bytes-table.ts'
import {
  countTrash,
  type Stored,
  storedByGuests,
  storedByKind,
  storedRevisions,
} from './storage-use-table.ts'
import { countDerived } from './transforms/derived-table.ts'
import { listUserSummaries } from './user-summaries.ts'
import type { UserSummary } from './user-summaries-table.ts'

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

export interface SiteStats {
  totals: Totals
  trash: { files: number; bytes: number }
  derivedFiles: number
  /** Made this month, in UTC. */
  transforms: number
}

export async function readStats(site: Site): Promise<SiteStats> {
  const { used: transforms } = await readQuotaUse(site, 'SERVICE_MAX_TRANSFORMS')
  return {
    totals: await allTotals(site.db),
    trash: await countTrash(site.db),
    derivedFiles: await countDerived(site.db),
    transforms,
  }
}

/** Where the bytes of a site are, and what they are of. */
export interface StorageUse {
  kind: Site['storage']['kind']
  /** Without files in the trash, which take storage alone. */
  files: Use
  bytes: Use
  /** Of one file. */
  mostUploadBytes: number | undefined
  /** Of resumable uploads that are not finished; they count towards the limit of bytes. */
  reservedBytes: number
  /** A part of the kinds. */
  trash: Stored
  /** With the earlier revisions these are all bytes. */
  kinds: readonly (Stored & { kind: string })[]
  earlier: Stored
  /** Users with the most bytes. */
  largestUsers: readonly UserSummary[]
  guests: Stored
}

interface Use {
  used: number
  /** Undefined if there is no limit. */
  limit: number | undefined
}

const mostUsers = 10

/** For administrators. */
export async function readStorageUse(site: Site, caller: UserCaller): Promise<StorageUse> {
  const { db, values } = site
  const limit = (name: LimitName) => limitOf(values, name)
  const { files, storageUsed } = await allTotals(db)
  const largest = { prefix: undefined, sort: 'storage', offset: 0, limit: mostUsers } as const
  const largestUsers = await listUserSummaries(site, caller, largest)
  return {
    kind: site.storage.kind,
    files: { used: files, limit: limit('SERVICE_MAX_FILES') },
    bytes: { used: storageUsed, limit: limit('SERVICE_MAX_STORAGE') },
    mostUploadBytes: limit('SERVICE_MAX_UPLOAD_SIZE'),
    reservedBytes: await sumReservedBytes(db, site.clock.now()),
    trash: await countTrash(db),
    kinds: await storedByKind(db),
    earlier: await storedRevisions(db),
    largestUsers: largestUsers.filter(({ storedBytes }) => storedBytes > 0),
    guests: await storedByGuests(db),
  }
}
