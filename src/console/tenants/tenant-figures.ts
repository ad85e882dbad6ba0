import { type Html, html } from '../../lib/html.ts'
import { dayAfter, dayOf, limitOf, noUsage, type Quotas, type SiteValues } from '../../site/index.ts'
import { mergedValues, readTenantUsage, type TenantWithStats } from '../../tenants/index.ts'
import { type DayColumn, dayCharts, dayCountIn } from '../../ui/day-charts.ts'
import { figure } from '../../ui/parts/figure.ts'
import { banner, meter } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag, writeAgo, writeNumber, writeSize } from '../../words/format.ts'
import type { ConsoleCall } from '../console-call.ts'
import { section } from '../frame.ts'
import { planPath, tenantPath } from '../record-paths.ts'

/** What the operator may have to act on: quotas that are used up, and when the site is suspended for one. */
export function noticesOf({ words, language }: Reader, { quotas, suspendedAt, suspendsAt }: Quotas): Html[] {
  const names = (state: string) =>
    quotas
      .filter((quota) => quota.state === state)
      .map(({ name }) => words.quotaNames[name])
      .join(', ')
  const suspended = suspendedAt && words.tenantSuspendedSince
  const suspends = suspendsAt && words.tenantSuspends
  const [text, at] = suspended ? [suspended, suspendedAt] : [suspends, suspendsAt]
  const state =
    text && at ? banner(html`<p>${text} ${timeTag(language, at, 'UTC')}</p>`, 'danger') : undefined
  const [reached, near] = [names('reached') || names('suspended'), names('alert')]
  return [
    ...(state ? [state] : []),
    ...(reached === '' ? [] : [banner(html`<p>${words.tenantQuotaReached(reached)}</p>`, 'danger')]),
    ...(near === '' ? [] : [banner(html`<p>${words.tenantQuotaNear(near)}</p>`, 'warn')]),
  ]
}

export function factsOf({ reader, control }: ConsoleCall, tenant: TenantWithStats): Html {
  const { words, language } = reader
  const { hostname, planId, createdAt, lastJobAt } = tenant
  const facts = [
    [words.tenantHostname, html`${hostname}`],
    [
      words.tenantPlan,
      planId === undefined ? html`${words.tenantNoPlan}` : html`<a href="${planPath(planId)}">${planId}</a>`,
    ],
    [words.consoleCreated, timeTag(language, createdAt, 'UTC')],
    [
      words.tenantLastJob,
      html`${lastJobAt ? (writeAgo(language, lastJobAt, control.clock.now()) ?? words.momentsAgo) : words.never}`,
    ],
  ] as const
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

interface Known {
  /** Whether the limits in force are known. */
  hasValues: boolean
  quotas: Quotas | undefined
}

/** The totals of the site; a meter only where there is a limit. */
export async function figuresOf(
  { reader, control }: ConsoleCall,
  tenant: TenantWithStats,
  { hasValues, quotas }: Known,
): Promise<Html> {
  const { words, language } = reader
  const { stats } = tenant
  const values = hasValues ? await mergedValues(control, tenant) : noValues
  const figures = [
    [words.filesTab, stats.files, limitOf(values, 'SERVICE_MAX_FILES'), writeNumber],
    [words.storage, stats.storageUsed, limitOf(values, 'SERVICE_MAX_STORAGE'), writeSize],
    [words.users, stats.users, limitOf(values, 'SERVICE_MAX_USERS'), writeNumber],
    [words.albums, stats.albums, limitOf(values, 'SERVICE_MAX_ALBUMS'), writeNumber],
    ...(quotas?.quotas ?? [])
      .filter(({ name }) => name !== 'SERVICE_MAX_STORAGE')
      .map(({ name, used, value }) => {
        const write = name === 'SERVICE_MAX_TRAFFIC' ? writeSize : writeNumber
        return [words.quotaNames[name], used, value, write] as const
      }),
  ] as const
  const rows = figures.map(([label, used, limit, write]) => {
    const use =
      limit === undefined
        ? undefined
        : meter({ label, used, limit, text: words.ofLimit(write(language, used), write(language, limit)) })
    return html`<div><dt>${label}</dt><dd>${figure(write(language, used))}${use}</dd></div>`
  })
  return html`<dl class="figures">${rows}</dl>`
}

const noValues: SiteValues = new Map()

/** What was done by day, thirty days unless the address names another range. */
export async function usageOf(
  { reader, control, query }: ConsoleCall,
  { id }: TenantWithStats,
): Promise<Html> {
  const { words } = reader
  const count = dayCountIn(query)
  const to = dayOf(control.clock.now())
  const from = dayAfter(to, 1 - count)
  const rows = await readTenantUsage(control, id, { from, to, step: 'day' })
  // A chart of a young tenant begins with empty days.
  const missing = Array.from({ length: count - rows.length }, (_, index) => dayAfter(from, index))
  const days = [...missing.map((date) => ({ date, counts: noUsage })), ...rows]
  const columns: readonly DayColumn[] = [
    ['uploads', words.chartUploads, writeNumber],
    ['storageUsed', words.storage, writeSize],
    ['trafficBytes', words.chartTraffic, writeSize],
    ['views', words.chartViews, writeNumber],
    ['apiRequests', words.chartApiRequests, writeNumber],
  ]
  const path = tenantPath(id)
  return section(words.chartTitle, dayCharts(reader, { days, columns, path, query }))
}
