import type { Actor } from '../accounts/index.ts'
import { type AcceptedKind, acceptedKinds } from '../imaging/index.ts'
import {
  allTotals,
  type LimitName,
  limitOf,
  quotaActionOf,
  readQuotaUse,
  readSettings,
  type Site,
  type TotalName,
  totalsOfUser,
} from '../site/index.ts'
import { sumReservedBytes } from './resumable/reserved-bytes-table.ts'
import { countLiveShares } from './shares/share-counts-table.ts'
import { largestUpload } from './upload/index.ts'

/** A limit of the site or of the user, and how much of it is used. */
interface UsedLimit {
  name: LimitName
  /** Undefined if there is no limit. */
  value: number | undefined
  used: number
  /** Bytes of unfinished uploads, of the limits of bytes. */
  reserved?: number
}

/** What an actor may still add to the site. */
export interface Allowance {
  limits: readonly UsedLimit[]
  maxFileSizeBytes: number
  kinds: readonly AcceptedKind[]
}

type CountedLimits = readonly (readonly [LimitName, TotalName])[]

const limitsOfUsers: CountedLimits = [
  ['SERVICE_MAX_FILES', 'files'],
  ['SERVICE_MAX_ALBUMS', 'albums'],
  ['SERVICE_MAX_TAGS', 'tags'],
  ['SERVICE_MAX_STORAGE', 'storageUsed'],
  ['SERVICE_MAX_DERIVED', 'derivedBytes'],
]

const limitsOfAdmins: CountedLimits = [
  ...limitsOfUsers,
  ['SERVICE_MAX_USERS', 'users'],
  ['SERVICE_MAX_ADMINS', 'admins'],
  ['SERVICE_MAX_MANAGERS', 'managers'],
  ['SERVICE_MAX_CATEGORIES', 'categories'],
  ['SERVICE_MAX_PAGES', 'pages'],
]

const [ofSite, ofUser] = ['SERVICE_MAX_STORAGE', 'SERVICE_MAX_STORAGE_PER_USER'] as const

const bytesLeft = ({ value = Number.POSITIVE_INFINITY, used, reserved = 0 }: UsedLimit) =>
  value - used - reserved

/** Of the limits of storage the one that leaves the least room; that of the site if there is none. Undefined for guests. */
export const bindingStorage = ({ limits }: Pick<Allowance, 'limits'>): UsedLimit | undefined =>
  limits
    .filter(({ name }) => name === ofSite || name === ofUser)
    .reduce<UsedLimit | undefined>(
      (one, other) => (one && bytesLeft(one) <= bytesLeft(other) ? one : other),
      undefined,
    )

/** How many bytes the actor may still store; undefined if nothing bounds them. A site that is only told about goes over its quota. */
export function storageLeft({ values }: Pick<Site, 'values'>, { limits }: Allowance): number | undefined {
  const bounds = limits.filter(({ name }) => name !== ofSite || quotaActionOf(values) !== 'alert')
  const storage = bindingStorage({ limits: bounds })
  return storage?.value === undefined ? undefined : Math.max(0, bytesLeft(storage))
}

/** Guests learn no totals of the site; the numbers of users and pages are for administrators and managers. */
export async function readAllowance(
  site: Site,
  actor: Actor,
  { keyCount }: { keyCount: number },
): Promise<Allowance> {
  const settings = await readSettings(site)
  return {
    limits: actor.kind === 'guest' ? [] : await usedLimits(site, actor, keyCount),
    maxFileSizeBytes: await largestUpload(site, actor),
    kinds: acceptedKinds({ allowSvg: settings.enable_svg === '1' }),
  }
}

async function usedLimits(
  site: Site,
  { userId, role }: Extract<Actor, { kind: 'user' }>,
  keyCount: number,
): Promise<UsedLimit[]> {
  const { db, values } = site
  const now = site.clock.now()
  const totals = await allTotals(db)
  const owned = await totalsOfUser(db, userId)
  const counted = role === 'user' ? limitsOfUsers : limitsOfAdmins
  const limit = (name: LimitName, used: number) => ({ name, value: limitOf(values, name), used })
  const ofSite = await sumReservedBytes(db, now)
  const ofUser = await sumReservedBytes(db, now, { ownerId: userId })
  return [
    ...counted
      .map(([name, total]) => limit(name, totals[total]))
      .map((each) => (each.name === 'SERVICE_MAX_STORAGE' ? { ...each, reserved: ofSite } : each)),
    { ...limit('SERVICE_MAX_STORAGE_PER_USER', owned.storageUsed), reserved: ofUser },
    limit('SERVICE_MAX_FILES_PER_USER', owned.files),
    limit('SERVICE_MAX_SHARES', await countLiveShares(db, now)),
    limit('SERVICE_MAX_KEYS_PER_USER', keyCount),
    limit('SERVICE_MAX_TRANSFORMS', (await readQuotaUse(site, 'SERVICE_MAX_TRANSFORMS')).used),
  ]
}
