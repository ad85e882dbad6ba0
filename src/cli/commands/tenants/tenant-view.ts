import { writeTenant } from '../../../api/index.ts'
import { formatSize } from '../../../lib/sizes.ts'
import { writeTime } from '../../../lib/times.ts'
import type { TenantWithStats } from '../../../tenants/index.ts'
import { type Column, recordOf, tableOf } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'

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
