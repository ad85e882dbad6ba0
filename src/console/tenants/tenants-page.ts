import { type Html, html } from '../../lib/html.ts'
import {
  findTenants,
  listReadablePlans,
  storageLimitsOf,
  type TenantSort,
  type TenantSummary,
  tenantStates,
  uploadsOfWeek,
} from '../../tenants/index.ts'
import { linkButton, submitButton, textField } from '../../ui/parts/controls.ts'
import { linkChip, pager } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { writeCount, writeNumber } from '../../words/format.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath, mayChange } from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { bulkForm } from './bulk-form.ts'
import { fieldsOf, listAddress, readTenantQuery, type TenantQuery } from './tenant-query.ts'
import { tenantTable } from './tenant-table.ts'

const tenantsOfPage = 50

export const showTenants: ConsoleHandler = async (call) => ({ page: await tenantsPage(call, call.query) })

/** The list, also below a refusal of the form that changes many, whose fields name it. */
export async function tenantsPage(
  call: ConsoleCall,
  fields: URLSearchParams,
  fault?: string,
): Promise<string> {
  const { words, language } = call.reader
  const asked = readTenantQuery(fields)
  const found = await findTenants(call.control, asked.filter, asked.order)
  // Tenants may have gone since the link to a last page was written.
  const pages = Math.max(Math.ceil(found.length / tenantsOfPage), 1)
  const query = { ...asked, page: Math.min(asked.page, pages) }
  const shown = found.slice((query.page - 1) * tenantsOfPage, query.page * tenantsOfPage)
  const isEmpty = found.length === 0 && !isFiltered(query)
  const list =
    shown.length === 0
      ? nothingFound(call, query)
      : html`${await listOf(call, { query, shown, count: found.length })}${pages > 1 ? pageLinks(call, query, pages) : undefined}`
  const filtered = html`${filterForm(call, query)}
<div id="tenant-states">${stateLinks(call, query)}</div>
<p id="tenant-count" role="status">${writeCount(language, words.tenantsFound, found.length)}</p>
<div id="tenant-list" class="stack">${list}</div>`
  const content = html`${fault === undefined ? undefined : banner(html`<p>${fault}</p>`, 'danger')}
${isEmpty ? list : filtered}`
  return consolePage(call, {
    part: 'tenants',
    title: words.consoleTenants,
    actions: isEmpty ? undefined : actionsOf(call, query),
    done: doneOf(call),
    content,
  })
}

function actionsOf(call: ConsoleCall, query: TenantQuery): Html {
  const { words } = call.reader
  const csv = linkButton(words.tenantsCsv, listAddress(query, {}, 'tenants.csv'), {
    look: 'plain',
    icon: 'download',
    more: { download: true },
  })
  const create = mayChange(call)
    ? linkButton(words.tenantNew, consolePath('tenants/new'), { icon: 'add' })
    : undefined
  return html`<div class="actions"><span id="tenant-csv">${csv}</span>${create}</div>`
}

/** How many the last form has changed. */
function doneOf({ query, reader: { words, language } }: ConsoleCall): Html | undefined {
  const changed = query.get('changed') ?? ''
  if (/^\d{1,9}$/.test(changed))
    return html`<p>${writeCount(language, words.tenantsChanged, Number(changed))}</p>`
  const deleted = query.get('deleted')
  return deleted === null ? undefined : html`<p dir="auto">${words.tenantDeleted(deleted.slice(0, 64))}</p>`
}

/** Script asks as the operator types, and replaces what the form names. */
function filterForm({ reader: { words } }: ConsoleCall, query: TenantQuery): Html {
  const kept = fieldsOf({ ...query, page: 1 }).filter(([name]) => name !== 'q')
  return html`<form action="${consolePath('tenants')}" role="search" aria-label="${words.consoleTenants}" class="filters" data-filter="tenant-states tenant-count tenant-list tenant-csv">
${kept.map(([name, value]) => html`<input name="${name}" value="${value}" type="hidden">`)}
${textField({
  label: words.tenantFilter,
  name: 'q',
  value: query.filter.text,
  more: { type: 'search', maxlength: 200, autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false' },
})}
${submitButton(words.tenantFilterGo, { look: 'plain', icon: 'search' })}
</form>`
}

/** One state at a time; the plan, which a link of a row or of its own page has chosen, can be taken away. */
function stateLinks({ reader: { words } }: ConsoleCall, query: TenantQuery): Html {
  const { filter } = query
  const states = [undefined, ...tenantStates].map((state) =>
    linkChip(
      state === undefined ? words.tenantStates.all : words.tenantStates[state],
      listAddress(query, { filter: { ...filter, state } }),
      state === filter.state,
    ),
  )
  const plan =
    filter.planId === undefined
      ? undefined
      : linkChip(
          words.tenantsOfPlan(filter.planId.slice(0, 64)),
          listAddress(query, { filter: { ...filter, planId: undefined } }),
          true,
        )
  return html`<nav class="chips" aria-label="${words.consoleState}">${states}${plan}</nav>`
}

const isFiltered = ({ filter }: TenantQuery): boolean =>
  filter.text !== '' || filter.state !== undefined || filter.planId !== undefined

function nothingFound(call: ConsoleCall, query: TenantQuery): Html {
  const { words } = call.reader
  if (isFiltered(query))
    return emptyState({
      title: words.tenantsNoneFound,
      text: words.tenantsNoneFoundText,
      action: linkButton(words.tenantsShowAll, consolePath('tenants'), { look: 'plain' }),
    })
  return emptyState({
    title: words.tenantsNone,
    text: words.tenantsNoneText,
    action: mayChange(call)
      ? linkButton(words.tenantNew, consolePath('tenants/new'), { icon: 'add' })
      : undefined,
  })
}

interface Shown {
  query: TenantQuery
  shown: readonly TenantSummary[]
  count: number
}

async function listOf(call: ConsoleCall, { query, shown, count }: Shown): Promise<Html> {
  const [limits, weeks] = await Promise.all([
    storageLimitsOf(call.control, shown),
    uploadsOfWeek(call.control, shown),
  ])
  const rows = shown.map((tenant, index) => ({
    tenant,
    limit: limits[index] ?? { value: '0', level: 'default' as const },
    uploads: weeks[index] ?? [],
  }))
  const sortAddress = (sort: TenantSort, isDescending: boolean) =>
    listAddress(query, { order: { sort, isDescending } })
  const table = tenantTable(call, rows, { order: query.order, sortAddress, query })
  if (!mayChange(call)) return table
  return bulkForm(call, { query, table, count, plans: await listReadablePlans(call.control) })
}

const pageLinks = ({ reader: { words, language } }: ConsoleCall, query: TenantQuery, pages: number): Html =>
  pager({
    words,
    newer: query.page > 1 ? listAddress(query, { page: query.page - 1 }) : undefined,
    older: query.page < pages ? listAddress(query, { page: query.page + 1 }) : undefined,
    labels: [words.previousPage, words.listNext],
    at: words.pageOf(writeNumber(language, query.page), writeNumber(language, pages)),
  })
