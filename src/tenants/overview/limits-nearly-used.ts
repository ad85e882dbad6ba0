import type { Control } from '../../control/index.ts'
import { isCopied, useInTotals } from '../../media/index.ts'
import { type LimitName, limitNames, limitOf, monthOf } from '../../site/index.ts'
import { levelsAround } from '../values/effective.ts'
import { type ListedPlan, listReadablePlans } from '../values/plans.ts'
import { type OverviewIndex, type OverviewTenant, sumSince } from './overview-index.ts'

/** A limit of which a tenant uses more than nine tenths; if there are several, the fullest. */
export interface NearLimit {
  tenant: string
  name: LimitName
  used: number
  limit: number
}

const nearFrom = 0.9

const comparedLimits = [...limitNames].filter((name) => isCopied(name as LimitName)) as readonly LimitName[]

/** The limits of a plan, as its tenants have them that set none themselves. */
interface PlanLimits {
  /** Changes with them. */
  version: string
  isUnreadable: boolean
  enforced: ReadonlyMap<LimitName, number>
  usual: ReadonlyMap<LimitName, number>
}

interface Compared {
  version: string
  near: NearLimit | undefined
}

/** By the tenant as it is kept: one that has changed is another object. */
const compared = new WeakMap<OverviewTenant, Compared>()

interface Found {
  version: number
  plans: ReadonlyMap<string | undefined, PlanLimits>
  month: string
  found: readonly NearLimit[]
}

const lastFound = new WeakMap<OverviewIndex, Found>()

/** Compared once for each tenant, plan and month; the fullest first. */
export async function limitsNearlyUsed(
  control: Control,
  index: OverviewIndex,
): Promise<readonly NearLimit[]> {
  const { version } = index
  const month = monthOf(control.clock.now())
  const plans = await plansOf(control)
  const last = lastFound.get(index)
  if (last?.version === version && last.plans === plans && last.month === month) return last.found
  const found = nearLimitsOf(index, plans, month)
  lastFound.set(index, { version, plans, month, found })
  return found
}

const plansOf = (control: Control) => control.cache.read('limits of all plans', () => limitsOfPlans(control))

/** Ids of plans whose `env` no key decrypts. */
export async function unreadablePlans(control: Control): Promise<string[]> {
  const plans = await plansOf(control)
  return [...plans].flatMap(([id, { isUnreadable }]) => (id !== undefined && isUnreadable ? [id] : []))
}

function nearLimitsOf(index: OverviewIndex, plans: Found['plans'], month: string): NearLimit[] {
  const found: NearLimit[] = []
  for (const tenant of index.tenants()) {
    if (!tenant.isInstalled) continue
    const plan = plans.get(tenant.planId) ?? plans.get(undefined)
    if (!plan) continue
    const version = `${plan.version} ${month}`
    let known = compared.get(tenant)
    if (known?.version !== version) {
      known = { version, near: fullest(tenant, plan, month) }
      compared.set(tenant, known)
    }
    if (known.near) found.push(known.near)
  }
  return found.sort((one, other) => other.used / other.limit - one.used / one.limit)
}

async function limitsOfPlans(control: Control): Promise<ReadonlyMap<string | undefined, PlanLimits>> {
  const plans = [undefined, ...(await listReadablePlans(control))]
  return new Map(plans.map((plan) => [plan?.id, limitsOf(control, plan)]))
}

function limitsOf(control: Control, plan: ListedPlan | undefined): PlanLimits {
  const enforced = new Map<LimitName, number>()
  const usual = new Map<LimitName, number>()
  for (const name of comparedLimits) {
    const { above, below } = levelsAround(control, plan, name)
    if (above) enforced.set(name, limitOf(new Map([[name, above.value]]), name) ?? 0)
    if (below) usual.set(name, limitOf(new Map([[name, below.value]]), name) ?? 0)
  }
  const version = `${plan?.id ?? ''} ${plan?.updatedAt.getTime() ?? 0}`
  return { version, isUnreadable: plan?.isUnreadable ?? false, enforced, usual }
}

function fullest(
  tenant: OverviewTenant,
  { enforced, usual }: PlanLimits,
  month: string,
): NearLimit | undefined {
  let found: NearLimit | undefined
  for (const name of comparedLimits) {
    const limit = enforced.get(name) ?? tenant.limits.get(name) ?? usual.get(name) ?? 0
    if (limit === 0) continue
    const used = useOf(tenant, name, month)
    if (used > limit * nearFrom && used / limit > (found ? found.used / found.limit : 0))
      found = { tenant: tenant.id, name, used, limit }
  }
  return found
}

function useOf(tenant: OverviewTenant, name: LimitName, month: string): number {
  if (name === 'SERVICE_MAX_TRAFFIC') return sumSince(tenant, `${month}-01`, 'trafficBytes')
  if (name === 'SERVICE_MAX_TRANSFORMS') return sumSince(tenant, `${month}-01`, 'transforms')
  return useInTotals(name, tenant.stats) ?? 0
}
