import {
  type NewTenantFields,
  readNewTenant,
  readTenantEdit,
  type TenantFields,
  writeTenant,
} from '../../../api/index.ts'
import {
  createTenant,
  deleteTenant,
  editTenant,
  listTenants,
  readTenantWithStats,
  type TenantWithStats,
} from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'
import { tenantRecord, tenantTable } from './tenant-view.ts'

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
