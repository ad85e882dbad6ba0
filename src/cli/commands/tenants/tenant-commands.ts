import {
  type NewTenantFields,
  readNewTenant,
  readTenantEdit,
  type TenantFields,
  writeTenant,
} from '../../../api/index.ts'
import { formatSize } from '../../../common/format.ts'
import { writeTime } from '../../../lib/times.ts'
import {
  createTenant,
  deleteTenant,
  editTenant,
  listTenants,
  readTenantWithStats,
  type TenantWithStats,
} from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, recordOf, tableOf } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'

export async function create(session: Session, fields: NewTenantFields): Promise<void> {
  await using app = await session.openApp()
  const tenant = await createTenant(app.control, readNewTenant(fields))
  session.answer(writeTenant(tenant), () => `Created the tenant ${tenant.id} on ${tenant.hostname}.`)
  if (!tenant.isInstalled) {
    session.note(`Next: tenants install --id ${tenant.id} --username NAME --email ADDRESS --password TEXT`)
  }
}

export async function get(session: Session, { id }: { id: string }): Promise<void> {
  await using app = await session.openApp()
  const tenant = await readTenantWithStats(app.control, id)
  session.answer(writeTenant(tenant), () => tenantRecord(session.out, tenant))
}

export async function list(session: Session): Promise<void> {
  await using app = await session.openApp()
  const tenants: TenantWithStats[] = []
  for await (const page of listTenants(app.control)) tenants.push(...page)
  session.answerList(tenants.map(writeTenant), () => tenantTable(session.out, tenants), {
    ifEmpty: 'There are no tenants yet. Create one: tenants create --id ID --hostname NAME',
  })
}

export async function edit(
  session: Session,
  { id, ...fields }: TenantFields & { id: string },
): Promise<void> {
  if (Object.keys(fields).length === 0) throw nothingToChange('tenants edit')
  await using app = await session.openApp()
  await editTenant(app.control, id, readTenantEdit(fields))
  const tenant = await readTenantWithStats(app.control, id)
  session.answer(writeTenant(tenant), () => `Changed the tenant ${id}.`)
}

export async function remove(
  session: Session,
  input: { id: string; 'drop-tables'?: boolean },
): Promise<void> {
  const { id, 'drop-tables': dropTables = false } = input
  await using app = await session.openApp()
  await deleteTenant(app.control, id, { dropTables })
  session.answer({ id, deleted: true }, () =>
    dropTables
      ? `Deleted the tenant ${id} with its tables and files.`
      : `Deleted the tenant ${id}. Its tables and files are kept for a tenant of the same id.`,
  )
}

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')

const columns: readonly Column<TenantWithStats>[] = [
  { title: 'ID', value: (tenant) => tenant.id, style: () => 'cyan' },
  { title: 'HOSTNAME', value: (tenant) => tenant.hostname },
  {
    title: 'ENABLED',
    value: (tenant) => yesOrNo(tenant.isEnabled),
    style: (tenant) => (tenant.isEnabled ? 'green' : 'red'),
  },
  {
    title: 'INSTALLED',
    value: (tenant) => yesOrNo(tenant.isInstalled),
    style: (tenant) => (tenant.isInstalled ? 'green' : 'yellow'),
  },
  { title: 'PLAN', value: (tenant) => tenant.planId ?? '-' },
  { title: 'FILES', value: (tenant) => String(tenant.stats.files), isRight: true },
  { title: 'STORAGE', value: (tenant) => formatSize(tenant.stats.storageUsed), isRight: true },
  { title: 'CREATED', value: (tenant) => writeTime(tenant.createdAt), style: () => 'dim' },
]

export const tenantTable = (terminal: Terminal, tenants: readonly TenantWithStats[]): string =>
  tableOf(terminal, columns, tenants)

export function tenantRecord(terminal: Terminal, tenant: TenantWithStats): string {
  const { stats } = writeTenant(tenant)
  return recordOf(terminal, [
    {
      rows: [
        ['id', tenant.id],
        ['hostname', tenant.hostname],
        ['enabled', yesOrNo(tenant.isEnabled)],
        ['installed', yesOrNo(tenant.isInstalled)],
        ['plan', tenant.planId ?? '-'],
        ['created', writeTime(tenant.createdAt)],
        ['updated', writeTime(tenant.updatedAt)],
        ['last job', tenant.lastJobAt ? writeTime(tenant.lastJobAt) : '-'],
      ],
    },
    { title: 'Limits', rows: Object.entries(tenant.limits) },
    { title: 'Env', rows: Object.entries(tenant.env) },
    {
      title: 'Stats',
      rows: Object.entries({ ...stats, storage_used: formatSize(stats.storage_used) }).map(
        ([name, value]) => [name, String(value)],
      ),
    },
  ])
}
