import { runJobsNow } from '../../jobs/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'
import { type ListedJobs, listJobs, type TenantJobs } from '../../scheduling/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, linkChip, pager, table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { writeAgo, writeCount, writeNumber, writeUntil } from '../../words/format.ts'
import {
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  installationOf,
  mayChange,
} from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'

const tenantsOfPage = 50

interface JobQuery {
  search: string
  isFailing: boolean
  page: number
}

const readQuery = (query: URLSearchParams): JobQuery => ({
  search: (query.get('q') ?? '').replaceAll('\0', '').trim().slice(0, 200),
  isFailing: query.get('state') === 'failing',
  page: Math.min(Math.max(parseWholeNumber(query.get('page') ?? '') ?? 1, 1), 1_000_000),
})

const addressOf = ({ search, isFailing, page }: JobQuery): string => {
  const fields = new URLSearchParams()
  if (search !== '') fields.set('q', search)
  if (isFailing) fields.set('state', 'failing')
  if (page > 1) fields.set('page', String(page))
  return fields.size === 0 ? consolePath('jobs') : `${consolePath('jobs')}?${fields}`
}

const showJobs: ConsoleHandler = async (call) => {
  const { words, language } = call.reader
  const query = readQuery(call.query)
  const offset = (query.page - 1) * tenantsOfPage
  const listed = await listJobs(call.control, { ...query, offset, limit: tenantsOfPage })
  const list = listOf(call, query, listed)
  const filtered = html`${filterForm(call, query)}
<div id="job-states">${stateLinks(call, query)}</div>
<p id="job-count" role="status">${writeCount(language, words.jobsFound, listed.found)}</p>
<div id="job-list" class="stack">${list}</div>`
  const isEmpty = listed.found === 0 && query.search === '' && !query.isFailing
  const content = html`<p class="soft">${words.jobsText}</p>
${ownJobs(call, listed)}
${isEmpty ? list : filtered}`
  return {
    page: consolePage(call, {
      part: 'jobs',
      title: words.consoleJobs,
      done: doneOf(call),
      content,
    }),
  }
}

/** Whether the jobs of a tenant ran: if another worker has its lease, they did not. */
function doneOf({ query, reader: { words } }: ConsoleCall): Html | undefined {
  const [ran, busy] = [query.get('ran'), query.get('busy')]
  if (ran !== null) return html`<p dir="auto">${words.jobsRan(ran.slice(0, 64))}</p>`
  return busy === null ? undefined : html`<p dir="auto">${words.jobsBusy(busy.slice(0, 64))}</p>`
}

/** Those of the installation itself are shown if they need attention. */
function ownJobs({ reader: { words } }: ConsoleCall, { installation }: ListedJobs): Html | undefined {
  if (!installation || installation.failures === 0) return undefined
  return banner(
    html`<p>${words.jobsInstallationFails}</p><p class="breaks" lang="en" dir="auto">${installation.fault}</p>`,
    'danger',
  )
}

/** Script asks as the operator types, and replaces what the form names. */
const filterForm = ({ reader: { words } }: ConsoleCall, { search, isFailing }: JobQuery): Html =>
  html`<form action="${consolePath('jobs')}" role="search" aria-label="${words.jobsFilter}" class="filters" data-filter="job-states job-count job-list">
${isFailing ? html`<input type="hidden" name="state" value="failing">` : undefined}
${textField({
  label: words.jobsFilter,
  name: 'q',
  value: search,
  more: { type: 'search', maxlength: 200, autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false' },
})}
${submitButton(words.jobsFilterGo, { look: 'plain', icon: 'search' })}
</form>`

function stateLinks({ reader: { words } }: ConsoleCall, query: JobQuery): Html {
  const link = (text: string, isFailing: boolean) =>
    linkChip(text, addressOf({ ...query, isFailing, page: 1 }), query.isFailing === isFailing)
  return html`<nav class="chips" aria-label="${words.consoleState}">${link(words.jobsAll, false)}${link(words.jobsFailing, true)}</nav>`
}

function listOf(call: ConsoleCall, query: JobQuery, { tenants, found }: ListedJobs): Html {
  const { words, language } = call.reader
  if (tenants.length === 0) return nothingFound(call, query)
  const pages = Math.ceil(found / tenantsOfPage)
  const columns = [words.jobsTenant, words.jobsLastRun, words.jobsNextDue, words.consoleState]
  const list = table(
    words.consoleJobs,
    [...columns, ...(mayChange(call) ? [words.action] : [])].map((name) => ({ name })),
    tenants.map((tenant) => cellsOf(call, tenant)),
  )
  if (pages <= 1) return list
  return html`${list}${pager({
    words,
    newer: query.page > 1 ? addressOf({ ...query, page: query.page - 1 }) : undefined,
    older: query.page < pages ? addressOf({ ...query, page: query.page + 1 }) : undefined,
    labels: [words.previousPage, words.listNext],
    at: words.pageOf(writeNumber(language, query.page), writeNumber(language, pages)),
  })}`
}

function nothingFound({ reader: { words } }: ConsoleCall, { search, isFailing, page }: JobQuery): Html {
  const all = linkButton(words.jobsShowAll, consolePath('jobs'), { look: 'plain' })
  if (search !== '' || page > 1)
    return emptyState({ title: words.jobsNoneFound, text: words.jobsNoneFoundText, action: all })
  return isFailing
    ? emptyState({ title: words.jobsNoneFailing, text: words.jobsNoneFailingText, action: all })
    : emptyState({
        title: words.jobsNone,
        text: words.jobsNoneText,
        action: linkButton(words.movesTenants, consolePath('tenants'), { look: 'plain' }),
      })
}

function cellsOf(call: ConsoleCall, tenant: TenantJobs): Html[] {
  const { words, language } = call.reader
  const { id, ranAt, isInstalled } = tenant
  const now = call.control.clock.now()
  const cells = [
    html`<a href="${tenantPath(id)}" dir="auto">${id}</a>`,
    html`${ranAt ? (writeAgo(language, ranAt, now) ?? words.momentsAgo) : isInstalled ? words.never : '–'}`,
    html`${dueText(call, tenant, now)}`,
    stateOf(call, tenant),
  ]
  return mayChange(call) ? [...cells, isInstalled ? runForm(call, id) : html``] : cells
}

function dueText(
  { reader: { words, language } }: ConsoleCall,
  { dueAt, isInstalled }: TenantJobs,
  now: Date,
): string {
  if (!dueAt || !isInstalled) return '–'
  return dueAt <= now ? words.jobsNow : writeUntil(language, dueAt, now)
}

function stateOf({ reader: { words, language } }: ConsoleCall, tenant: TenantJobs): Html {
  const { isInstalled, leasedUntil, failures, fault } = tenant
  if (!isInstalled) return chip(words.jobsNotInstalled)
  const running =
    leasedUntil &&
    html`<span title="${leasedUntil.toISOString()}">${chip(words.jobsRunning, 'accent')}</span>`
  if (failures === 0) return running ?? chip(words.jobsOk, 'good')
  return html`<div class="work-cell"><span class="with-chip">${chip(writeCount(language, words.jobsFailed, failures), 'danger')}${running}</span><span class="breaks" lang="en" dir="auto">${fault}</span></div>`
}

const runForm = ({ reader }: ConsoleCall, id: string): Html =>
  html`<form method="post" action="${consolePath('jobs/run')}">${tokenField(reader)}<input type="hidden" name="tenant_id" value="${id}">${submitButton(reader.words.jobsRunNow, { look: 'plain', isDense: true, more: { 'aria-label': `${reader.words.jobsRunNow}: ${id}` } })}</form>`

/** Most sites need a moment. The rest of longer work stays due, and the workers go on with it. */
const longestMs = 10_000

const runNow: ConsoleHandler = async (call) => {
  const id = call.form.get('tenant_id') ?? ''
  const runs = await runJobsNow(installationOf(call), { id, signal: AbortSignal.timeout(longestMs) })
  return { to: `${consolePath('jobs')}?${runs > 0 ? 'ran' : 'busy'}=${encodeURIComponent(id)}` }
}

export const jobPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'jobs', handle: showJobs },
  { method: 'POST', path: 'jobs/run', page: 'jobs', handle: runNow },
]
