import type { Control } from '../control/index.ts'
import { defaultValues, limitNames, type SiteValues } from '../site/index.ts'
import { planIfThere } from './plans.ts'
import { readTenant, type Tenant } from './tenants.ts'

/** Where a value came from, low to high: a later level wins. */
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

/** Every value in force for a tenant, and the level that it came from. */
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

/** What a site is opened with. */
export function valuesOfTenant(control: Control, id: string): Promise<SiteValues> {
  return control.memory.recall(valuesNote(id), async () => {
    // Not the caller's tenant: that may be older than the version which these values are kept for.
    const levels = await levelsOf(control, await readTenant(control, id))
    return new Map(levels.flatMap(([, values]) => [...values]))
  })
}

/** The same where they are remembered. */
export const knownValuesOfTenant = (control: Control, id: string): SiteValues | undefined =>
  control.memory.known(valuesNote(id))

const valuesNote = (id: string) => `values ${id}`

async function levelsOf(control: Control, tenant: Tenant): Promise<[Level, SiteValues][]> {
  // A plan deleted since the tenant was read is no plan.
  const plan = tenant.planId === undefined ? undefined : await planIfThere(control, tenant.planId)
  return [
    ['default', defaultValues],
    ['process', control.processValues],
    ['plan_limits', new Map(Object.entries(plan?.limits ?? {}))],
    ['plan_env', new Map(Object.entries(plan?.env ?? {}))],
    ['tenant_limits', new Map(Object.entries(tenant.limits))],
    ['tenant_env', new Map(Object.entries(tenant.env))],
    ['enforced', control.enforcedValues],
  ]
}

const sorted = <T>(map: Map<string, T>) => new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
