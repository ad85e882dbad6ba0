import type { Control } from '../../control/index.ts'
import { defaultValues, limitNames, type SiteValues, withCurrentNames } from '../../site/index.ts'
import { readTenant, type Tenant } from '../tenants.ts'
import { planIfThere } from './plans.ts'

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
  const levels = await levelsOf(control, tenant)
  const limits = new Map<string, EffectiveValue>()
  const env = new Map<string, EffectiveValue>()
  const isLimit = (name: string) =>
    levels.some(([level, values]) => level.endsWith('limits') && values.has(name))
  for (const [level, values] of levels) {
    for (const [name, value] of values) {
      const map = limitNames.has(name) || isLimit(name) ? limits : env
      map.set(name, { value, level })
    }
  }
  return { limits: sorted(limits), env: sorted(env) }
}

/** The values that a site is opened with. */
export function valuesOfTenant(
  control: Control,
  id: string,
  options?: { isConfirmed: boolean },
): Promise<SiteValues> {
  const read = async () => {
    // Not the caller's tenant, which may be older than the version under which these values are cached.
    const levels = await levelsOf(control, await readTenant(control, id))
    return new Map(levels.flatMap(([, values]) => [...values]))
  }
  return control.cache.read(valuesCacheKey(id), read, options)
}

/** Synchronous variant: undefined if the values are not cached. */
export const knownValuesOfTenant = (
  control: Control,
  id: string,
  options?: { isConfirmed: boolean },
): SiteValues | undefined => control.cache.peek(valuesCacheKey(id), options)

const valuesCacheKey = (id: string) => `values ${id}`

async function levelsOf(control: Control, tenant: Tenant): Promise<[Level, SiteValues][]> {
  // The plan may have been deleted since the tenant was read.
  const plan = tenant.planId === undefined ? undefined : await planIfThere(control, tenant.planId)
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

const sorted = <T>(map: Map<string, T>) => new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
