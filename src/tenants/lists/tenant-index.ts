import type { EffectiveValue } from '../values/effective.ts'

/** What lists of operators show of a tenant. */
export interface TenantSummary {
  id: string
  hostname: string
  /** The number of its site. */
  site: number
  isEnabled: boolean
  isInstalled: boolean
  planId: string | undefined
  files: number
  storedBytes: number
  users: number
  /** The e-mail addresses of its administrators, in lower case. */
  admins: readonly string[]
  createdAt: Date
  lastJobAt: Date | undefined
  /** The limit of the tenant's own levels: that of its plan changes without a change of the tenant. */
  ownStorageLimit: EffectiveValue | undefined
}

const tenantSorts = ['id', 'hostname', 'plan', 'files', 'storage', 'lastJob', 'created'] as const
export type TenantSort = (typeof tenantSorts)[number]

/** A tenant that is not installed is enabled or disabled all the same. */
export const tenantStates = ['enabled', 'disabled', 'not-installed'] as const
export type TenantState = (typeof tenantStates)[number]

export interface TenantFilter {
  /** A part of the id or of the hostname, in any case; empty for all. */
  text: string
  state: TenantState | undefined
  planId: string | undefined
}

export interface TenantOrder {
  sort: TenantSort
  isDescending: boolean
}

type Compare = (one: TenantSummary, other: TenantSummary) => number

/** If a larger part of the tenants changes, sorting anew is quicker than moving each. */
const mostMoved = 1 / 50

/**
 * All tenants in every order that was asked for. An order is sorted once; a tenant that changes afterwards is moved to its new
 * position, so that a page costs no sort while uploads change one tenant after the other.
 */
export class TenantIndex {
  readonly #byId = new Map<string, IndexedTenant>()
  readonly #orders = new Map<TenantSort, IndexedTenant[]>()

  apply(changes: ReadonlyMap<string, TenantSummary | undefined>): void {
    if (changes.size > this.#byId.size * mostMoved) this.#orders.clear()
    for (const [id, tenant] of changes) {
      const before = this.#byId.get(id)
      const after = tenant && { ...tenant, searched: `${tenant.id}\n${tenant.hostname}`.toLowerCase() }
      if (after) this.#byId.set(id, after)
      else this.#byId.delete(id)
      for (const [sort, order] of this.#orders) move(order, compares[sort], before, after)
    }
  }

  /** The tenants that the filter lets through, in a new array. */
  find({ text, state, planId }: TenantFilter, { sort, isDescending }: TenantOrder): TenantSummary[] {
    const searched = text.toLowerCase()
    const found = this.#ordered(sort).filter(
      (tenant) =>
        (searched === '' || tenant.searched.includes(searched)) &&
        (state === undefined || isIn(state, tenant)) &&
        (planId === undefined || tenant.planId === planId),
    )
    return isDescending ? found.reverse() : found
  }

  /** Whose id, hostname or address of an administrator this is; else those of which it is a part, or the start of an address. */
  lookUp(text: string): TenantSummary[] {
    const searched = text.toLowerCase()
    const all = this.#ordered('id')
    const exact = all.filter(
      ({ id, hostname, admins }) =>
        id.toLowerCase() === searched || hostname === searched || admins.includes(searched),
    )
    if (exact.length > 0) return exact
    const found = all.filter(
      (tenant) =>
        tenant.searched.includes(searched) || tenant.admins.some((address) => address.startsWith(searched)),
    )
    const begins = ({ id, hostname }: TenantSummary) =>
      id.toLowerCase().startsWith(searched) || hostname.startsWith(searched)
    return [...found.filter(begins), ...found.filter((tenant) => !begins(tenant))]
  }

  #ordered(sort: TenantSort): readonly IndexedTenant[] {
    const known = this.#orders.get(sort)
    if (known) return known
    const order = [...this.#byId.values()].sort(compares[sort])
    this.#orders.set(sort, order)
    return order
  }
}

interface IndexedTenant extends TenantSummary {
  /** Id and hostname in lower case. */
  searched: string
}

function isIn(state: TenantState, { isEnabled, isInstalled }: TenantSummary): boolean {
  if (state === 'not-installed') return !isInstalled
  return isEnabled === (state === 'enabled')
}

/** Equal values are in the order of ids, so that each tenant has one position. A value that is not there comes first. */
const by =
  (fieldOf: (tenant: TenantSummary) => string | number): Compare =>
  (one, other) => {
    const [first, second] = [fieldOf(one), fieldOf(other)]
    if (first !== second) return first < second ? -1 : 1
    return one.id < other.id ? -1 : Number(one.id > other.id)
  }

const compares: Readonly<Record<TenantSort, Compare>> = {
  id: by(({ id }) => id),
  hostname: by(({ hostname }) => hostname),
  plan: by(({ planId }) => planId ?? ''),
  files: by(({ files }) => files),
  storage: by(({ storedBytes }) => storedBytes),
  lastJob: by(({ lastJobAt }) => lastJobAt?.getTime() ?? 0),
  created: by(({ createdAt }) => createdAt.getTime()),
}

function move(
  order: IndexedTenant[],
  compare: Compare,
  before: IndexedTenant | undefined,
  after: IndexedTenant | undefined,
): void {
  if (before) {
    const at = positionOf(order, compare, before)
    if (after && compare(before, after) === 0) {
      order[at] = after
      return
    }
    order.splice(at, 1)
  }
  if (after) order.splice(positionOf(order, compare, after), 0, after)
}

/** Where the tenant is, or belongs. */
function positionOf(order: readonly TenantSummary[], compare: Compare, tenant: TenantSummary): number {
  let [from, to] = [0, order.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const at = order[middle]
    if (at && compare(at, tenant) < 0) from = middle + 1
    else to = middle
  }
  return from
}
