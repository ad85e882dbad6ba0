import { type PlanFields, readPlanValues, writePlan } from '../../../api/index.ts'
import { writeTime } from '../../../lib/times.ts'
import { createPlan, deletePlan, editPlan, listPlans, type Plan, readPlan } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, recordOf, tableOf } from '../../terminal/table.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'

type PlanInput = PlanFields & { id: string }

export async function create(session: Session, { id, ...fields }: PlanInput): Promise<void> {
  await using app = await session.openApp()
  const plan = await createPlan(app.control, { id, ...readPlanValues(fields) })
  session.answer(writePlan(plan), () => `Created the plan ${id}.`)
}

export async function get(session: Session, { id }: { id: string }): Promise<void> {
  await using app = await session.openApp()
  const plan = await readPlan(app.control, id)
  session.answer(writePlan(plan), () =>
    recordOf(session.out, [
      {
        rows: [
          ['id', plan.id],
          ['created', writeTime(plan.createdAt)],
          ['updated', writeTime(plan.updatedAt)],
        ],
      },
      { title: 'Limits', rows: Object.entries(plan.limits) },
      { title: 'Env', rows: Object.entries(plan.env) },
    ]),
  )
}

const columns: readonly Column<Plan>[] = [
  { title: 'ID', value: (plan) => plan.id, style: () => 'cyan' },
  { title: 'LIMITS', value: (plan) => pairsOf(plan.limits) },
  { title: 'ENV', value: (plan) => Object.keys(plan.env).join(' ') || '-' },
  { title: 'CREATED', value: (plan) => writeTime(plan.createdAt), style: () => 'dim' },
]

const pairsOf = (values: Plan['limits']) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || '-'

export async function list(session: Session): Promise<void> {
  await using app = await session.openApp()
  const plans = await listPlans(app.control)
  session.answerList(plans.map(writePlan), () => tableOf(session.out, columns, plans), {
    ifEmpty: `There are no plans yet. Create one: tenants plan:create --id ID --limits JSON`,
  })
}

export async function edit(session: Session, { id, ...fields }: PlanInput): Promise<void> {
  if (Object.keys(fields).length === 0) throw nothingToChange('tenants plan:edit')
  await using app = await session.openApp()
  await editPlan(app.control, id, readPlanValues(fields))
  const plan = await readPlan(app.control, id)
  session.answer(writePlan(plan), () => `Changed the plan ${id}.`)
}

export async function remove(session: Session, { id }: { id: string }): Promise<void> {
  await using app = await session.openApp()
  await deletePlan(app.control, id)
  session.answer({ id, deleted: true }, () => `Deleted the plan ${id}. Its tenants now have no plan.`)
}
