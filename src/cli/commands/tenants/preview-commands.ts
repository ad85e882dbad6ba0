import {
  type PlanFields,
  readPlanValues,
  readTenantEdit,
  type TenantFields,
  writePreview,
  writeTenantPreview,
} from '../../../api/index.ts'
import { type EffectiveValue, type Preview, previewPlan, previewTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, type Rows, recordOf, tableOf } from '../../terminal/table.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'

export async function previewEdit(
  session: Session,
  { id, ...fields }: TenantFields & { id: string },
): Promise<void> {
  if (Object.keys(fields).length === 0) throw nothingToChange('tenants preview')
  await using app = await session.openApp()
  const preview = await previewTenant(app.control, id, readTenantEdit(fields))
  session.answer(writePreview(preview), () =>
    recordOf(session.out, [
      { title: 'Changes', rows: changesOf(preview) },
      { title: 'Exceeded', rows: exceededOf(preview) },
      { title: 'At limit', rows: atLimitOf(preview) },
      { title: 'Data', rows: [['moves', yesOrNo(preview)]] },
    ]),
  )
}

const pageSize = 200

export async function previewPlanEdit(
  session: Session,
  { id, ...fields }: PlanFields & { id: string },
): Promise<void> {
  if (Object.keys(fields).length === 0) throw nothingToChange('tenants plan:preview')
  await using app = await session.openApp()
  const edit = readPlanValues(fields)
  const all: Preview[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await previewPlan(app.control, id, edit, { after, limit: pageSize })
    all.push(...page.previews)
    after = page.next
  }
  if (all.length === 0) session.note(`The plan ${id} has no tenants.`)
  if (all.length > 0 || session.isJson)
    session.answer({ data: all.map(writeTenantPreview), next_cursor: null }, () =>
      tableOf(session.out, columns, all),
    )
}

const columns: readonly Column<Preview>[] = [
  { title: 'TENANT', value: ({ tenant }) => tenant, style: () => 'cyan' },
  { title: 'CHANGES', value: (preview) => lineOf(changesOf(preview)) },
  {
    title: 'EXCEEDED',
    value: (preview) => lineOf(exceededOf(preview)),
    style: ({ exceeded }) => (exceeded.length > 0 ? 'red' : undefined),
  },
  { title: 'AT LIMIT', value: (preview) => lineOf(atLimitOf(preview)) },
  { title: 'MOVES', value: yesOrNo, style: ({ moves }) => (moves ? 'yellow' : undefined) },
]

const lineOf = (rows: Rows) => rows.map(([name, text]) => `${name}: ${text}`).join('; ') || '-'

const changesOf = ({ changes }: Preview): Rows =>
  [...changes].map(([name, { from, to }]) => [name, `${shown(from)} → ${shown(to)}`])

const shown = (value: EffectiveValue | undefined) =>
  value === undefined ? 'not set' : `${value.value === '' ? '""' : value.value} (${value.level})`

const exceededOf = ({ exceeded }: Preview): Rows => exceeded.map(useOf)

/** Limits with no room for one more that are not exceeded. */
const atLimitOf = ({ refused, exceeded }: Preview): Rows =>
  refused.filter((use) => !exceeded.includes(use)).map(useOf)

const useOf = ({ name, value, used }: Preview['refused'][number]): Rows[number] => [
  name,
  `${used} used, limit ${value}`,
]

function yesOrNo({ moves }: Preview): string {
  return moves ? 'yes' : 'no'
}
