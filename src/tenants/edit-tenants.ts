import {
  type Control,
  type ControlChange,
  recordControlChange,
  recordControlChanges,
} from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import { hostnameTaken, tenantChanged, tenantNotFound } from './errors.ts'
import { isVersion, nextVersion, type VersionedEdit } from './row-versions.ts'
import { readTenantWithStats, requirePlan, type Tenant } from './tenants.ts'
import {
  findTenant,
  findTenantByHostname,
  type TenantRow,
  tenantsOfIds,
  updateTenant,
  updateTenants,
} from './tenants-table.ts'
import {
  checkedFields,
  type LooseValues,
  readableValues,
  sealValues,
  type Values,
} from './values/field-rules.ts'

export interface TenantEdit {
  hostname?: string | undefined
  isEnabled?: boolean | undefined
  /** `null` takes the plan away. */
  planId?: string | null | undefined
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

export async function editTenant(
  control: Control,
  id: string,
  edit: TenantEdit,
  { ifUpdatedAt }: VersionedEdit = {},
): Promise<void> {
  const { hostname, limits, env } = checkedFields(edit)

  await control.store.changeControl(async (db) => {
    const row = await findTenant(db, id)
    if (!row) throw tenantNotFound()
    if (!isVersion(row, ifUpdatedAt)) throw tenantChanged(id)
    await checkEdit(db, id, { hostname, planId: edit.planId })
    const change = {
      ...(hostname === undefined ? {} : { hostname }),
      ...(edit.isEnabled === undefined ? {} : { isEnabled: Number(edit.isEnabled) }),
      ...(edit.planId === undefined ? {} : { planId: edit.planId }),
      ...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
      ...(env === undefined ? {} : { env: sealValues(control.keyRing, `tenant ${id}`, env) }),
      updatedAt: nextVersion(control.clock.now(), row),
    }
    await updateTenant(db, id, change)
    const before = recordedTenant(row, env && recordedEnv(control, row))
    const after = recordedTenant({ ...row, ...change }, env)
    await recordControlChange(control, db, { verb: 'tenant.updated', target: id, before, after })
  })
}

/** The fields that the audit log has of a tenant. */
export const recordedTenant = (
  { hostname, isEnabled, planId, limits }: TenantRow,
  env: Values | undefined,
) => ({ hostname, isEnabled: isEnabled === 1, planId, limits: JSON.parse(limits), env })

export const recordedEnv = ({ keyRing }: Control, { id, env }: TenantRow): Values =>
  readableValues(keyRing, `tenant ${id}`, env)

export type EditOfMany = Pick<TenantEdit, 'isEnabled' | 'planId'>

/** Edits all of the tenants, or none if one of them is not there. Returns how many are different now. */
export async function editTenants(
  control: Control,
  ids: readonly string[],
  { isEnabled, planId }: EditOfMany,
): Promise<number> {
  const wanted = [...new Set(ids)]
  return control.store.changeControl(async (db) => {
    if (typeof planId === 'string') await requirePlan(db, planId)
    const rows = await tenantsOfIds(db, wanted)
    if (rows.length < wanted.length) throw tenantNotFound()
    const fields = {
      ...(isEnabled === undefined ? {} : { isEnabled: Number(isEnabled) }),
      ...(planId === undefined ? {} : { planId }),
    }
    const edited = rows.filter((row) =>
      Object.entries(fields).some(([name, value]) => row[name as keyof TenantRow] !== value),
    )
    // One version for all: after the last one of each.
    const change = { ...fields, updatedAt: nextVersion(control.clock.now(), ...edited) }
    await updateTenants(
      db,
      edited.map(({ id }) => id),
      change,
    )
    const changes = edited.map((row): ControlChange => {
      const before = recordedTenant(row, undefined)
      const after = recordedTenant({ ...row, ...change }, undefined)
      return { verb: 'tenant.updated', target: row.id, before, after }
    })
    await recordControlChanges(control, db, changes)
    return edited.length
  })
}

/** A tenant as it is, and as an edit would make it. Refuses what `editTenant` refuses. */
export async function tenantWithEdit(
  control: Control,
  id: string,
  edit: TenantEdit,
): Promise<{ tenant: Tenant; edited: Tenant }> {
  const { hostname, limits, env } = checkedFields(edit)
  const tenant = await readTenantWithStats(control, id)
  await checkEdit(control.store.control, id, { hostname, planId: edit.planId })
  const edited = {
    ...tenant,
    planId: edit.planId === undefined ? tenant.planId : (edit.planId ?? undefined),
    limits: limits ?? tenant.limits,
    env: env ?? tenant.env,
  }
  return { tenant, edited }
}

async function checkEdit(
  db: ControlDb,
  id: string,
  { hostname, planId }: Pick<TenantEdit, 'hostname' | 'planId'>,
): Promise<void> {
  if (typeof planId === 'string') await requirePlan(db, planId)
  if (hostname === undefined) return
  const owner = await findTenantByHostname(db, hostname)
  if (owner && owner.id !== id) throw hostnameTaken(hostname)
}
