import type { Control } from '../../control/index.ts'
import { locationValues, valueNames } from '../../site/index.ts'
import { readTenantWithStats, type TenantWithStats } from '../tenants.ts'
import { type EffectiveValue, highestOf, type Level, levelsOf, planOf } from './effective.ts'
import type { Plan } from './plans.ts'

/** A value with what each level says about it. */
export interface LeveledValue {
  name: string
  /** Undefined if no level sets it. */
  inForce: EffectiveValue | undefined
  levels: ReadonlyMap<Level, string>
}

export interface TenantValues {
  tenant: TenantWithStats
  plan: Plan | undefined
  /** Every known value, set or not, and those that only this tenant or its plan has. */
  values: readonly LeveledValue[]
}

/** Every value of a tenant on every level. Not cached: the version of the tenant is that of its values. */
export async function readValues(control: Control, id: string): Promise<TenantValues> {
  const tenant = await readTenantWithStats(control, id)
  const plan = await planOf(control, tenant)
  return { tenant, plan, values: leveled(levelsOf(control, { tenant, plan })) }
}

function leveled(levels: ReturnType<typeof levelsOf>): LeveledValue[] {
  const inForce = highestOf(levels)
  const names = new Set([...valueNames, ...inForce.keys()])
  return [...names].sort().map((name) => ({
    name,
    inForce: inForce.get(name),
    levels: new Map(
      levels.flatMap(([level, values]) => {
        const value = values.get(name)
        return value === undefined ? [] : [[level, value] as const]
      }),
    ),
  }))
}

/** Whether a value on this level may be a credential: those of env are stored encrypted, and a location has its password. */
export const isSecretLevel = (level: Level, name: string): boolean =>
  level === 'plan_env' || level === 'tenant_env' || locationValues.some((each) => each === name)
