import { sendLines } from '../../http/responses/send-lines.ts'
import { csvLine } from '../../lib/csv.ts'
import { writeTime } from '../../lib/times.ts'
import { findTenants, type TenantSummary } from '../../tenants/index.ts'
import type { ConsoleHandler } from '../console-call.ts'
import { readTenantQuery } from './tenant-query.ts'

/** The list as a table for other programs, all pages of it. */
export const downloadTenants: ConsoleHandler = async ({ control, query, request, reply }) => {
  const { filter, order } = readTenantQuery(query)
  const found = await findTenants(control, filter, order)
  return sendLines(request, reply, {
    contentType: 'text/csv; charset=utf-8',
    filename: 'tenants.csv',
    chunks: linesOf(found),
  })
}

const atOnce = 500

const columns = [
  'id',
  'hostname',
  'is_enabled',
  'is_installed',
  'plan_id',
  'files',
  'storage_used',
  'users',
  'created_at',
  'last_job_at',
]

async function* linesOf(tenants: readonly TenantSummary[]): AsyncGenerator<string> {
  yield csvLine(columns)
  for (let start = 0; start < tenants.length; start += atOnce)
    yield tenants
      .slice(start, start + atOnce)
      .map((tenant) => csvLine(cellsOf(tenant)))
      .join('')
}

const cellsOf = (tenant: TenantSummary) => [
  tenant.id,
  tenant.hostname,
  tenant.isEnabled,
  tenant.isInstalled,
  tenant.planId,
  tenant.files,
  tenant.storedBytes,
  tenant.users,
  writeTime(tenant.createdAt),
  tenant.lastJobAt && writeTime(tenant.lastJobAt),
]
