import {
  type Control,
  type ControlChange,
  recordControlChange,
  recordControlChanges,
} from '../../control/index.ts'
import { planChanged, planExists, planNotFound } from '../errors.ts'
import { isVersion, nextVersion, type VersionedEdit } from '../row-versions.ts'
import { idsOfPlan } from '../tenants-table.ts'
import {
  checkedFields,
  keyOfId,
  type LooseValues,
  readableValues,
  readSealed,
  sealValues,
  undefinedIfUnreadable,
  unsealValues,
  type Values,
} from './field-rules.ts'
import { allPlans, deletePlanRow, findPlan, insertPlan, type PlanRow, updatePlan } from './plans-table.ts'

export interface Plan {
  id: string
  limits: Values
  env: Values
  createdAt: Date
  updatedAt: Date
}

export interface PlanValues {
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

export async function createPlan(control: Control, input: PlanValues & { id: string }): Promise<Plan> {
  const { limits = {}, env = {} } = checkedFields(input)
  const now = control.clock.now().toISOString()

  return control.store.changeControl(async (db) => {
    const row: PlanRow = {
      id: input.id,
      limits: JSON.stringify(limits),
      env: sealValues(control.keyRing, `plan ${input.id}`, env),
      createdAt: now,
      updatedAt: now,
    }
    const isNew = await insertPlan(db, { ...row, idKey: keyOfId(input.id) })
    if (!isNew) throw planExists(input.id)
    await recordControlChange(control, db, {
      verb: 'plan.created',
      target: input.id,
      after: { limits, env },
    })
    return planOfRow(control, row)
  })
}

export async function readPlan(control: Control, id: string): Promise<Plan> {
  const plan = await planIfThere(control, id)
  if (!plan) throw planNotFound()
  return plan
}

export function planIfThere(control: Control, id: string): Promise<Plan | undefined> {
  const read = async () => {
    const row = await findPlan(control.store.control, id)
    return row && planOfRow(control, row)
  }
  return control.cache.read(`plan ${id}`, () => readSealed(read))
}

export async function listPlans(control: Control): Promise<Plan[]> {
  return readSealed(async () => {
    const rows = await allPlans(control.store.control)
    return rows.map((row) => planOfRow(control, row))
  })
}

/** A plan as pages for people have it. */
export interface ListedPlan extends Plan {
  /** No key decrypts its `env`, which is empty here: its tenants cannot be served. */
  isUnreadable: boolean
}

/** One that no key decrypts does not hide the others. */
export async function listReadablePlans(control: Control): Promise<ListedPlan[]> {
  const plans = await listPlans(control).catch(undefinedIfUnreadable)
  if (plans) return plans.map((plan) => ({ ...plan, isUnreadable: false }))
  const rows = await allPlans(control.store.control)
  return rows.map((row) => {
    const env = recordedEnv(control, row)
    const isUnreadable = row.env !== null && Object.keys(env).length === 0
    return { ...planWithEnv(row, env), isUnreadable }
  })
}

/** The plan without its `env` if no key decrypts that; undefined if there is none. */
export async function readablePlan(control: Control, id: string): Promise<ListedPlan | undefined> {
  try {
    const plan = await planIfThere(control, id)
    return plan && { ...plan, isUnreadable: false }
  } catch (error) {
    undefinedIfUnreadable(error)
    return (await listReadablePlans(control)).find((plan) => plan.id === id)
  }
}

export async function readReadablePlan(control: Control, id: string): Promise<ListedPlan> {
  const plan = await readablePlan(control, id)
  if (!plan) throw planNotFound()
  return plan
}

export async function editPlan(
  control: Control,
  id: string,
  edit: PlanValues,
  { ifUpdatedAt }: VersionedEdit = {},
): Promise<void> {
  const { limits, env } = checkedFields(edit)

  await control.store.changeControl(async (db) => {
    const row = await findPlan(db, id)
    if (!row) throw planNotFound()
    if (!isVersion(row, ifUpdatedAt)) throw planChanged(id)
    await updatePlan(db, id, {
      ...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
      ...(env === undefined ? {} : { env: sealValues(control.keyRing, `plan ${id}`, env) }),
      updatedAt: nextVersion(control.clock.now(), row),
    })
    const before = { limits: JSON.parse(row.limits), env: env && recordedEnv(control, row) }
    const after = { limits: limits ?? before.limits, env }
    await recordControlChange(control, db, { verb: 'plan.updated', target: id, before, after })
  })
}

const recordedEnv = ({ keyRing }: Control, { id, env }: PlanRow): Values =>
  readableValues(keyRing, `plan ${id}`, env)

/** A plan as it is, and as an edit would make it. Refuses what `editPlan` refuses. */
export async function planWithEdit(
  control: Control,
  id: string,
  edit: PlanValues,
): Promise<{ plan: Plan; edited: Plan }> {
  const { limits, env } = checkedFields(edit)
  const plan = await readPlan(control, id)
  return { plan, edited: { ...plan, limits: limits ?? plan.limits, env: env ?? plan.env } }
}

export async function deletePlan(control: Control, id: string): Promise<void> {
  await control.store.changeControl(async (db) => {
    const row = await findPlan(db, id)
    if (!row) throw planNotFound()
    const tenants = await idsOfPlan(db, id)
    // The database takes the plan away from its tenants.
    await deletePlanRow(db, id)
    const before = { limits: JSON.parse(row.limits), env: recordedEnv(control, row) }
    const withoutPlan = tenants.map((target): ControlChange => {
      return { verb: 'tenant.updated', target, before: { planId: id }, after: { planId: null } }
    })
    await recordControlChanges(control, db, [{ verb: 'plan.deleted', target: id, before }, ...withoutPlan])
  })
}

const planOfRow = (control: Control, row: PlanRow): Plan =>
  planWithEnv(row, unsealValues(control.keyRing, `plan ${row.id}`, row.env))

const planWithEnv = (row: PlanRow, env: Values): Plan => ({
  id: row.id,
  limits: JSON.parse(row.limits),
  env,
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
})
