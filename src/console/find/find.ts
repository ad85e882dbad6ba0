import type { Suggestion } from '../../common/wire.ts'
import { type Html, html } from '../../lib/html.ts'
import { lookUpTenants, type TenantSummary } from '../../tenants/index.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import { writeCount } from '../../words/format.ts'
import { type ConsoleCall, type ConsoleHandler, type ConsoleRoute, consolePath } from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'
import { stateOf } from '../tenants/tenant-table.ts'

const mostShown = 50
const mostSuggested = 8

const textIn = ({ query }: ConsoleCall) => query.get('q')?.trim() ?? ''

/** One hit leads to its tenant. */
const showFound: ConsoleHandler = async (call) => {
  const found = await lookUpTenants(call.control, textIn(call))
  const [only] = found
  if (only && found.length === 1) return { to: pathOf(only) }
  return { page: foundPage(call, found) }
}

const suggestFound: ConsoleHandler = async (call) => {
  const found = await lookUpTenants(call.control, textIn(call))
  const hits = found.slice(0, mostSuggested).map(
    (tenant): Suggestion => ({
      icon: 'category',
      text: tenant.id,
      kind: reasonOf(call, tenant),
      path: pathOf(tenant),
    }),
  )
  return { json: hits }
}

const pathOf = ({ id }: TenantSummary) => tenantPath(id)

/** The address of the administrator if the text begins one, else the hostname. */
function reasonOf(call: ConsoleCall, { id, hostname, admins }: TenantSummary): string {
  const text = textIn(call).toLowerCase()
  const isNamed = id.toLowerCase().includes(text) || hostname.includes(text)
  const address = isNamed ? undefined : admins.find((each) => each.startsWith(text))
  return address ?? hostname
}

function foundPage(call: ConsoleCall, found: readonly TenantSummary[]): string {
  const { words, language } = call.reader
  const text = textIn(call)
  const list =
    found.length === 0
      ? text === ''
        ? html`<p class="soft">${words.findText}</p>`
        : emptyState({ title: words.tenantsNoneFound, text: words.findText })
      : html`<p role="status">${writeCount(language, words.tenantsFound, found.length)}</p>
<div class="found">${table(
          words.consoleTenants,
          [words.tenantId, words.tenantHostname, words.consoleState].map((name) => ({ name })),
          found.slice(0, mostShown).map((tenant) => cellsOf(call, tenant)),
        )}</div>
${found.length > mostShown ? html`<p class="soft">${words.findMore(String(mostShown))}</p>` : undefined}`
  const content = html`<form action="${consolePath('find')}" role="search" aria-label="${words.searchGo}" class="filters">
${textField({
  label: words.findField,
  name: 'q',
  id: 'find-text',
  value: text.slice(0, 2_000),
  more: { type: 'search', maxlength: 2000, autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false' },
})}
${submitButton(words.searchGo, { look: 'plain', icon: 'search' })}
</form>
${list}`
  return consolePage(call, { part: 'tenants', title: words.consoleFind, content })
}

const cellsOf = (call: ConsoleCall, tenant: TenantSummary): Html[] => [
  html`<a href="${pathOf(tenant)}">${tenant.id}</a>`,
  html`<span class="breaks">${reasonOf(call, tenant)}</span>`,
  stateOf(call, tenant),
]

export const findPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'find', handle: showFound },
  { method: 'GET', path: '-/find', isForScript: true, handle: suggestFound },
]
