import { formatSize } from '../../../common/format.ts'
import {
  usageCsvHead,
  usageCsvLine,
  usageRangeOf,
  writeUsage,
  writeUsageRow,
} from '../../../http/wire/usage.ts'
import { siteColumns, type UsageRange, type UsageRow } from '../../../site/index.ts'
import { listUsage, readTenantUsage } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, tableOf } from '../../terminal/table.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'

interface UsageOptions {
  id?: string
  from?: string
  to?: string
  step: UsageRange['step']
  csv?: boolean
}

/** Shows the usage of a tenant, or of all. */
export async function showUsage(
  session: Session,
  { id, csv = false, ...fields }: UsageOptions,
): Promise<void> {
  if (csv && session.isJson) throw new UsageFault(['Choose --csv or --json.'], 'tenants usage --help')
  await using app = await session.openApp()
  const range = usageRangeOf(fields, app.control.clock.now())
  if (range.from > range.to) throw new UsageFault(['--from must not be after --to.'], 'tenants usage --help')
  const rows: ShownRow[] = []
  const first = id === undefined ? ['tenant'] : []
  const lineOf = (row: ShownRow) => usageCsvLine(siteColumns, row, id === undefined ? [row.tenant] : [])
  if (csv) session.out.print(usageCsvHead(siteColumns, first).trimEnd())
  for await (const page of id === undefined
    ? listUsage(app.control, range, { after: '' })
    : [[{ tenant: id, rows: await readTenantUsage(app.control, id, range) }]]) {
    const shown = page.flatMap(({ tenant, rows: ofTenant }) => ofTenant.map((row) => ({ ...row, tenant })))
    if (!csv) rows.push(...shown)
    else if (shown.length > 0) session.out.print(shown.map(lineOf).join('').trimEnd())
  }
  if (csv) return
  const columns = id === undefined ? [tenantColumn, ...usageColumns] : usageColumns
  session.answer(id === undefined ? writeAll(range, rows) : writeUsage(range, siteColumns, rows), () =>
    tableOf(session.out, columns, rows),
  )
}

interface ShownRow extends UsageRow {
  tenant: string
}

const writeAll = ({ from, to, step }: UsageRange, rows: readonly ShownRow[]) => ({
  from,
  to,
  step,
  data: rows.map((row) => ({ tenant: row.tenant, ...writeUsageRow(siteColumns, row) })),
})

const tenantColumn: Column<ShownRow> = { title: 'TENANT', value: ({ tenant }) => tenant, style: () => 'cyan' }

const counted = (
  title: string,
  name: keyof UsageRow['counts'],
  write: (value: number) => string = String,
): Column<ShownRow> => ({
  title,
  value: ({ counts }) => write(counts[name]),
  isRight: true,
})

/** What people look at; --csv and --json have every figure. */
const usageColumns: readonly Column<ShownRow>[] = [
  { title: 'DATE', value: ({ date }) => date },
  counted('UPLOADS', 'uploads'),
  counted('UPLOADED', 'uploadBytes', formatSize),
  counted('DOWNLOADS', 'downloads'),
  counted('TRAFFIC', 'trafficBytes', formatSize),
  counted('VIEWS', 'views'),
  counted('API', 'apiRequests'),
  counted('FILES', 'files'),
  counted('STORAGE', 'storageUsed', formatSize),
  counted('USERS', 'users'),
]
