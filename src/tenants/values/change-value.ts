import type { Control } from '../../control/index.ts'
import { renamedValues } from '../../site/index.ts'
import { editTenant } from '../edit-tenants.ts'
import { keyMissing, planChanged, tenantChanged } from '../errors.ts'
import { readReadableTenant } from '../tenants.ts'
import type { Values } from './field-rules.ts'
import { editPlan, type PlanValues, readReadablePlan } from './plans.ts'

/** One value of a tenant or plan that is set, or taken away. */
export type ValueChange =
  | { name: string; in: 'limits' | 'env'; value: string }
  /** From this level, or from both. */
  | { name: string; in: 'limits' | 'env' | undefined; value: undefined }

interface OwnValues {
  limits: Values
  env: Values
}

interface ReadableValues extends OwnValues {
  isUnreadable: boolean
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

/** Refuses a change of one value of an `env` that no key decrypts: it would delete the others. */
function readableWithChange(own: ReadableValues, change: ValueChange): PlanValues {
  const edit = withChange(own, change)
  if (own.isUnreadable && edit.env !== undefined) throw keyMissing()
  return edit
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
  const tenant = await readReadableTenant(control, id)
  // The change is made to these maps: another change between the two is refused too.
  if (ifUpdatedAt && ifUpdatedAt.getTime() !== tenant.updatedAt.getTime()) throw tenantChanged(id)
  await editTenant(control, id, readableWithChange(tenant, change), { ifUpdatedAt: tenant.updatedAt })
}

/** The same of a plan. */
export async function changePlanValue(
  control: Control,
  id: string,
  change: ValueChange,
  { ifUpdatedAt }: { ifUpdatedAt?: Date | undefined } = {},
): Promise<void> {
  const plan = await readReadablePlan(control, id)
  if (ifUpdatedAt && ifUpdatedAt.getTime() !== plan.updatedAt.getTime()) throw planChanged(id)
  await editPlan(control, id, readableWithChange(plan, change), { ifUpdatedAt: plan.updatedAt })
}
