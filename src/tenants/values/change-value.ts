import type { Control } from '../../control/index.ts'
import { renamedValues } from '../../site/index.ts'
import { editTenant } from '../edit-tenants.ts'
import { planChanged, tenantChanged } from '../errors.ts'
import { readTenantWithStats } from '../tenants.ts'
import type { Values } from './field-rules.ts'
import { editPlan, type PlanValues, readPlan } from './plans.ts'

/** One value of a tenant or plan that is set, or taken away. */
export type ValueChange =
  | { name: string; in: 'limits' | 'env'; value: string }
  /** From this level, or from both. */
  | { name: string; in: 'limits' | 'env' | undefined; value: undefined }

interface OwnValues {
  limits: Values
  env: Values
}

/** The maps of a tenant or plan as the change makes them: those that it leaves alone are undefined. */
export function withChange(own: OwnValues, change: ValueChange): PlanValues {
  const edited = (level: 'limits' | 'env') => {
    if (change.in !== undefined && change.in !== level) return undefined
    const kept = Object.entries(own[level]).filter(([name]) => currentName(name) !== currentName(change.name))
    return Object.fromEntries(
      change.value === undefined ? kept : [...kept, [change.name, change.value] as const],
    )
  }
  return { limits: edited('limits'), env: edited('env') }
}

/** A level may still hold an old name, which counts as the one of today. */
export const currentName = (name: string): string => renamedValues.get(name) ?? name

/** Refuses what `editTenant` refuses, and a version that is not the stored one. */
export async function changeTenantValue(
  control: Control,
  id: string,
  change: ValueChange,
  { ifUpdatedAt }: { ifUpdatedAt?: Date | undefined } = {},
): Promise<void> {
  const tenant = await readTenantWithStats(control, id)
  // The change is made to these maps: another change between the two is refused too.
  if (ifUpdatedAt && ifUpdatedAt.getTime() !== tenant.updatedAt.getTime()) throw tenantChanged(id)
  await editTenant(control, id, withChange(tenant, change), { ifUpdatedAt: tenant.updatedAt })
}

/** The same of a plan. */
export async function changePlanValue(
  control: Control,
  id: string,
  change: ValueChange,
  { ifUpdatedAt }: { ifUpdatedAt?: Date | undefined } = {},
): Promise<void> {
  const plan = await readPlan(control, id)
  if (ifUpdatedAt && ifUpdatedAt.getTime() !== plan.updatedAt.getTime()) throw planChanged(id)
  await editPlan(control, id, withChange(plan, change), { ifUpdatedAt: plan.updatedAt })
}
