import type { Control } from '../../control/index.ts'
import { defaultValues, limitNames, type SiteValues, withCurrentNames } from '../../site/index.ts'
import { readTenant, type Tenant } from '../tenants.ts'
import { type Plan, planIfThere } from './plans.ts'

/** The source of a value, in rising precedence. */
export type Level =
  | 'default'
  | 'process'
  | 'plan_limits'
  | 'plan_env'
  | 'tenant_limits'
  | 'tenant_env'
  | 'enforced'

export interface EffectiveValue {
  value: string
  level: Level
}

export interface EffectiveValues {
  limits: Map<string, EffectiveValue>
  env: Map<string, EffectiveValue>
}

/** Every value in force for a tenant, with its source. */
export async function effectiveValues(control: Control, tenant: Tenant): Promise<EffectiveValues> {
  const levels = levelsOf(control, { tenant, plan: await planOf(control, tenant) })
  const all = [...highestOf(levels)]
  const isLimit = (name: string) =>
    limitNames.has(name) || levels.some(([level, values]) => level.endsWith('limits') && values.has(name))
  return {
    limits: new Map(all.filter(([name]) => isLimit(name))),
    env: new Map(all.filter(([name]) => !isLimit(name))),
  }
}

/** The values that a site is opened with. */
export function valuesOfTenant(
  control: Control,
  id: string,
  options?: { isConfirmed: boolean },
): Promise<SiteValues> {
  // Not the caller's tenant, which may be older than the version under which these values are cached.
  const read = async () => mergedValues(control, await readTenant(control, id))
  return control.cache.read(valuesCacheKey(id), read, options)
}

/** The same, of a tenant as it was read. */
export async function mergedValues(control: Control, tenant: Tenant): Promise<SiteValues> {
  return mergedByLevels(control, { tenant, plan: await planOf(control, tenant) })
}

/** The same, of these rows. */
export const mergedByLevels = (control: Control, rows: ValueRows): SiteValues =>
  new Map(levelsOf(control, rows).flatMap(([, values]) => [...values]))

/** Synchronous variant: undefined if the values are not cached. */
export const knownValuesOfTenant = (
  control: Control,
  id: string,
  options?: { isConfirmed: boolean },
): SiteValues | undefined => control.cache.peek(valuesCacheKey(id), options)

const valuesCacheKey = (id: string) => `values ${id}`

/** The plan may have been deleted since the tenant was read. */
export async function planOf(control: Control, { planId }: Tenant): Promise<Plan | undefined> {
  return planId === undefined ? undefined : planIfThere(control, planId)
}

/** The rows that values come from. */
export interface ValueRows {
  tenant: Tenant
  plan: Plan | undefined
}

/** The values of each level, in rising precedence. */
export function levelsOf(control: Control, { tenant, plan }: ValueRows): [Level, SiteValues][] {
  const levels: [Level, SiteValues][] = [
    ['default', defaultValues],
    ['process', control.processValues],
    ['plan_limits', new Map(Object.entries(plan?.limits ?? {}))],
    ['plan_env', new Map(Object.entries(plan?.env ?? {}))],
    ['tenant_limits', new Map(Object.entries(tenant.limits))],
    ['tenant_env', new Map(Object.entries(tenant.env))],
    ['enforced', control.enforcedValues],
  ]
  return levels.map(([level, values]) => [level, withCurrentNames(values)])
}

/** One value in force for a tenant: of thousands of tenants it is read much faster than all values. */
export async function valueInForce(
  control: Control,
  tenant: Tenant,
  name: string,
): Promise<EffectiveValue | undefined> {
  const { above, below } = levelsAround(control, await planOf(control, tenant), name)
  return above ?? highestOwn(tenant, name) ?? below
}

/** One value of the tenant's own levels. */
export const highestOwn = (
  { limits, env }: Pick<Tenant, 'limits' | 'env'>,
  name: string,
): EffectiveValue | undefined =>
  highestIn(
    [
      ['tenant_limits', new Map(Object.entries(limits))],
      ['tenant_env', new Map(Object.entries(env))],
    ],
    name,
  )

/** One value of the levels above and below those of a tenant. */
export const levelsAround = (control: Control, plan: Plan | undefined, name: string) => ({
  above: highestIn([['enforced', control.enforcedValues]], name),
  below: highestIn(
    [
      ['default', defaultValues],
      ['process', control.processValues],
      ['plan_limits', new Map(Object.entries(plan?.limits ?? {}))],
      ['plan_env', new Map(Object.entries(plan?.env ?? {}))],
    ],
    name,
  ),
})

function highestIn(levels: readonly [Level, SiteValues][], name: string): EffectiveValue | undefined {
  for (const [level, values] of levels.toReversed()) {
    const value = withCurrentNames(values).get(name)
    if (value !== undefined) return { value, level }
  }
  return undefined
}

/** Each value with the highest level that sets it, in the order of names. */
export function highestOf(levels: readonly [Level, SiteValues][]): Map<string, EffectiveValue> {
  const all = new Map<string, EffectiveValue>()
  for (const [level, values] of levels) for (const [name, value] of values) all.set(name, { value, level })
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
}
