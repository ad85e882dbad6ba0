import {
  allTotals,
  isQuotaName,
  type LimitName,
  largestUserTotals,
  limitOf,
  type QuotaName,
  readQuotaUse,
  type Site,
  type SiteValues,
  type TotalName,
  type Totals,
} from '../site/index.ts'
import { countMostOpenUploads, countMostUserBytes, countMostUserKeys } from './limit-uses-table.ts'
import { countLiveShares } from './shares/share-counts-table.ts'

/** A limit that is set, and how much of it a site uses. */
export interface LimitUse {
  name: LimitName
  value: number
  used: number
}

/** A total of the site, or how it is counted. A limit of each user counts the one who uses most. */
type Use = TotalName | ((site: Site, totals: Totals) => Promise<number>)

const usedOfQuota = (name: QuotaName) => async (site: Site) => (await readQuotaUse(site, name)).used

/** What each limit counts. Undefined for limits of one file or one minute: nothing that a site keeps is counted for them. */
const usesOfLimits: Readonly<Record<LimitName, Use | undefined>> = {
  SERVICE_MAX_USERS: 'users',
  SERVICE_MAX_ADMINS: 'admins',
  SERVICE_MAX_MANAGERS: 'managers',
  SERVICE_MAX_FILES: 'files',
  SERVICE_MAX_ALBUMS: 'albums',
  SERVICE_MAX_TAGS: 'tags',
  SERVICE_MAX_CATEGORIES: 'categories',
  SERVICE_MAX_PAGES: 'pages',
  SERVICE_MAX_STORAGES: 'storages',
  SERVICE_MAX_LOGIN_PROVIDERS: 'loginProviders',
  SERVICE_MAX_STORAGE: usedOfQuota('SERVICE_MAX_STORAGE'),
  SERVICE_MAX_STORAGE_PER_USER: ({ db, clock }) => countMostUserBytes(db, clock.now()),
  SERVICE_MAX_FILES_PER_USER: async ({ db }) => (await largestUserTotals(db)).files,
  SERVICE_MAX_SHARES: ({ db, clock }) => countLiveShares(db, clock.now()),
  SERVICE_MAX_KEYS_PER_USER: ({ db }) => countMostUserKeys(db),
  SERVICE_MAX_OPEN_UPLOADS: ({ db, clock }) => countMostOpenUploads(db, clock.now()),
  SERVICE_MAX_TRAFFIC: usedOfQuota('SERVICE_MAX_TRAFFIC'),
  SERVICE_MAX_TRANSFORMS: usedOfQuota('SERVICE_MAX_TRANSFORMS'),
  SERVICE_MAX_DERIVED: 'derivedBytes',
  SERVICE_MAX_WEBHOOKS: undefined,
  SERVICE_MAX_TAGS_PER_FILE: undefined,
  SERVICE_MAX_UPLOAD_SIZE: undefined,
  SERVICE_MAX_PIXELS: undefined,
  SERVICE_RATE_READS: undefined,
  SERVICE_RATE_WRITES: undefined,
  SERVICE_RATE_SEARCH: undefined,
}

/** The limits that these values set, in the order of names. They need not be the values that the site has now. */
export async function readLimitUses(
  site: Site,
  values: SiteValues,
  names = Object.keys(usesOfLimits) as readonly LimitName[],
): Promise<LimitUse[]> {
  const totals = await allTotals(site.db)
  const found: LimitUse[] = []
  for (const name of names.toSorted()) {
    const [use, value] = [usesOfLimits[name], limitOf(values, name)]
    if (use === undefined || value === undefined) continue
    found.push({ name, value, used: typeof use === 'string' ? totals[use] : await use(site, totals) })
  }
  return found
}

/** Whether what a limit counts is among the totals or day counts that are copied to the control row of a site. */
export const isCopied = (name: LimitName): boolean =>
  isQuotaName(name) || typeof usesOfLimits[name] === 'string'

/** What a site uses of a limit by its totals, without what is reserved; undefined if they do not count it. */
export function useInTotals(name: LimitName, totals: Totals): number | undefined {
  if (name === 'SERVICE_MAX_STORAGE') return totals.storageUsed
  const use = usesOfLimits[name]
  return typeof use === 'string' ? totals[use] : undefined
}
