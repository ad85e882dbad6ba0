import type { Control } from '../../control/index.ts'
import { locationValues, valueNames } from '../../site/index.ts'
import { type ReadableTenant, readReadableTenant } from '../tenants.ts'
import { type EffectiveValue, highestOf, type Level, levelsOf } from './effective.ts'
import { type ListedPlan, readablePlan } from './plans.ts'

/** A value with what each level says about it. */
export interface LeveledValue {
  name: string
  /** Undefined if no level sets it, or if a higher level cannot be decrypted. */
  inForce: EffectiveValue | undefined
  levels: ReadonlyMap<Level, string>
}

export interface TenantValues {
  tenant: ReadableTenant
  plan: ListedPlan | undefined
  /** Every known value, set or not, and those that only this tenant or its plan has. */
  values: readonly LeveledValue[]
}

/** Every value of a tenant on every level. Not cached: the version of the tenant is that of its values. */
export async function readValues(control: Control, id: string): Promise<TenantValues> {
  const tenant = await readReadableTenant(control, id)
  // The plan may have been deleted since the tenant was read.
  const plan = tenant.planId === undefined ? undefined : await readablePlan(control, tenant.planId)
  const levels = levelsOf(control, { tenant, plan })
  const order = levels.map(([level]) => level)
  const isKnown = (level: Level) =>
    !(tenant.isUnreadable && order.indexOf(level) < order.indexOf('tenant_env')) &&
    !(plan?.isUnreadable && order.indexOf(level) < order.indexOf('plan_env'))
  return { tenant, plan, values: leveled(levels, isKnown) }
}

/** `isKnown`: whether the value in force is that of a level which sets it. */
function leveled(levels: ReturnType<typeof levelsOf>, isKnown: (level: Level) => boolean): LeveledValue[] {
  const highest = highestOf(levels)
  const names = new Set([...valueNames, ...highest.keys()])
  const inForce = (name: string) => {
    const found = highest.get(name)
    return found && isKnown(found.level) ? found : undefined
  }
  return [...names].sort().map((name) => ({
    name,
    inForce: inForce(name),
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
