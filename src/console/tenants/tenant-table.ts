import { attributes, type Html, html } from '../../lib/html.ts'
import { parseSize } from '../../lib/sizes.ts'
import type { EffectiveValue, TenantOrder, TenantSort, TenantSummary } from '../../tenants/index.ts'
import { type Column, chip, table } from '../../ui/parts/lists.ts'
import { meter } from '../../ui/parts/states.ts'
import { writeAgo, writeNumber, writeSize } from '../../words/format.ts'
import { type ConsoleCall, mayChange } from '../console-call.ts'
import { tenantPath } from '../record-paths.ts'
import { sparkline } from './sparkline.ts'
import { listAddress, type TenantQuery } from './tenant-query.ts'

interface TenantRow {
  tenant: TenantSummary
  limit: EffectiveValue
  /** Of each of the last days, the oldest first. */
  uploads: readonly number[]
}

interface Sorting {
  order: TenantOrder
  sortAddress: (sort: TenantSort, isDescending: boolean) => string
  query: TenantQuery
}

/** Large numbers and late moments are what one looks for, so they come first; names begin with A. */
const largestFirst: ReadonlySet<TenantSort> = new Set(['files', 'storage', 'lastJob', 'created'])

export function tenantTable(call: ConsoleCall, rows: readonly TenantRow[], sorting: Sorting): Html {
  const { words } = call.reader
  const by = (name: string, sort: TenantSort, more: Partial<Column> = {}): Column => {
    const { order, sortAddress } = sorting
    const isSorted = order.sort === sort
    return {
      name,
      sortAddress: sortAddress(sort, isSorted ? !order.isDescending : largestFirst.has(sort)),
      ...(isSorted && { sorted: order.isDescending ? 'descending' : 'ascending' }),
      ...more,
    }
  }
  const select: readonly Column[] = mayChange(call) ? [{ name: words.tenantSelected, isBefore: true }] : []
  const columns = [
    ...select,
    by(words.tenantId, 'id'),
    by(words.tenantHostname, 'hostname'),
    { name: words.consoleState },
    by(words.tenantPlan, 'plan'),
    by(words.filesTab, 'files', { isNumber: true }),
    by(words.storage, 'storage', { isNumber: true }),
    { name: words.tenantWeek },
    by(words.tenantLastJob, 'lastJob'),
    by(words.consoleCreated, 'created'),
  ]
  const cells = rows.map((row) => cellsOf(call, row, sorting.query))
  return html`<div class="tenants">${table(words.consoleTenants, columns, cells)}</div>`
}

function cellsOf(call: ConsoleCall, { tenant, limit, uploads }: TenantRow, query: TenantQuery): Html[] {
  const { words, language } = call.reader
  const { id, planId, lastJobAt } = tenant
  const select = html`<label class="select"><input type="checkbox" name="id" value="${id}" aria-label="${words.tenantSelect(id)}"></label>`
  const ofPlan = { filter: { ...query.filter, planId } }
  return [
    ...(mayChange(call) ? [select] : []),
    html`<a href="${tenantPath(id)}"${attributes({ class: isLong(id) ? 'breaks' : undefined })}>${id}</a>`,
    clamped(tenant.hostname),
    stateOf(call, tenant),
    planId === undefined
      ? html`–`
      : html`<a href="${listAddress(query, ofPlan)}" class="breaks clamped" title="${planId}">${planId}</a>`,
    html`${writeNumber(language, tenant.files)}`,
    storageOf(call, tenant, limit),
    sparkline(uploads, words.tenantWeekOf(uploads.join(', '))),
    html`${lastJobAt ? (writeAgo(language, lastJobAt, call.control.clock.now()) ?? words.momentsAgo) : words.never}`,
    html`${tenant.createdAt.toISOString().slice(0, 10)}`,
  ]
}

/** On more than three lines, a hostname is cut, and shown in full where the pointer is. */
const clamped = (hostname: string): Html =>
  isLong(hostname)
    ? html`<span class="breaks clamped" title="${hostname}">${hostname}</span>`
    : html`${hostname}`

const isLong = (text: string) => text.length >= 40

export function stateOf(
  { reader: { words } }: ConsoleCall,
  { isEnabled, isInstalled }: Pick<TenantSummary, 'isEnabled' | 'isInstalled'>,
): Html {
  const state = isEnabled
    ? chip(words.tenantStates.enabled, isInstalled ? 'good' : 'plain')
    : chip(words.tenantStates.disabled, 'warn')
  return isInstalled
    ? state
    : html`<span class="with-chip">${state}${chip(words.tenantStates['not-installed'])}</span>`
}

/** What is used, the limit, and which level it comes from. */
function storageOf(
  { reader: { words, language } }: ConsoleCall,
  { storedBytes }: TenantSummary,
  { value, level }: EffectiveValue,
): Html {
  const limit = parseSize(value) ?? 0
  const used = writeSize(language, storedBytes)
  if (limit === 0) return html`${used}`
  const text = html`${words.ofLimit(used, writeSize(language, limit))} <small>${words.tenantLevels[level]}</small>`
  // Of whole percents: fifty rows are short.
  const percent = Math.min(100, Math.floor((storedBytes / limit) * 100))
  return storedBytes === 0
    ? html`<span>${text}</span>`
    : meter({ label: words.storage, used: percent, limit: 100, text })
}
