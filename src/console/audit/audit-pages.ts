import {
  type ControlAuditEntry,
  type ControlAuditFilter,
  controlVerbs,
  isControlVerb,
  listControlAudit,
  listOperators,
} from '../../control/index.ts'
import { badRequest } from '../../http/responses/errors.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import type { AuditFormat } from '../../http/wire/audit-lines.ts'
import { controlAuditExport } from '../../http/wire/control-audit.ts'
import { type Html, html } from '../../lib/html.ts'
import { knownPlanIds, knownTenantIds } from '../../tenants/index.ts'
import { positionIn, rangeOfDay } from '../../ui/audit-parts.ts'
import { addressWith } from '../../ui/list-address.ts'
import { linkButton, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { pager, table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import { type ConsoleCall, type ConsoleHandler, type ConsoleRoute, consolePath } from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { auditCells, type KnownTargets } from './audit-row.ts'

const rowsOfPage = 50

const showAudit: ConsoleHandler = async (call) => {
  const before = positionIn(call.query)
  const page = { before, limit: rowsOfPage + 1 }
  const found = await listControlAudit(call.control, filterIn(call.query), page)
  const rows = found.slice(0, rowsOfPage)
  const shown = {
    rows,
    known: await knownTargets(call, rows),
    isFirst: before === undefined,
    hasMore: found.length > rowsOfPage,
  }
  return { page: auditPage(call, shown) }
}

async function knownTargets(
  { control }: ConsoleCall,
  rows: readonly ControlAuditEntry[],
): Promise<KnownTargets> {
  const targets = [...new Set(rows.map(({ target }) => target))]
  const db = control.store.control
  const operators = await listOperators(control)
  return {
    tenants: await knownTenantIds(db, targets),
    plans: await knownPlanIds(db, targets),
    operatorNames: new Map(operators.map(({ id, username }) => [id, username])),
  }
}

const downloadAudit =
  (format: AuditFormat): ConsoleHandler =>
  ({ control, request, reply, query }) =>
    sendLines(request, reply, controlAuditExport(control, filterIn(query), format))

const fields = ['verb', 'who', 'target', 'day'] as const

function filterIn(query: URLSearchParams): ControlAuditFilter {
  // PostgreSQL refuses a NUL in a text, and no name has one.
  const [verb = '', who = '', target = '', day = ''] = fields.map((name) =>
    (query.get(name) ?? '').replaceAll('\0', ' ').trim(),
  )
  if (verb !== '' && !isControlVerb(verb))
    throw badRequest(`verb: must be one of the list, not "${verb.slice(0, 40)}"`)
  return {
    verbs: verb === '' ? undefined : [verb],
    actor: who === '' ? undefined : who,
    target: target === '' ? undefined : target,
    ...rangeOfDay(day),
  }
}

interface ShownLog {
  rows: readonly ControlAuditEntry[]
  known: KnownTargets
  isFirst: boolean
  hasMore: boolean
}

function auditPage(call: ConsoleCall, { rows, known, isFirst, hasMore }: ShownLog): string {
  const { words } = call.reader
  const last = rows.at(-1)
  const pageLinks = pager({
    words,
    newer: isFirst ? undefined : addressWith(call, { before: undefined }),
    older: hasMore && last ? addressWith(call, { before: String(last.sequence) }) : undefined,
    labels: [words.auditNewest, words.older],
  })
  const list =
    rows.length === 0
      ? emptyState({ title: words.auditEmpty, text: words.auditEmptyText })
      : html`<div class="audit-log">${table(
          words.consoleAudit,
          [words.auditWhen, words.auditWhat, words.auditWho, words.auditChanges].map((name) => ({ name })),
          rows.map((row) => auditCells(call.reader, row, known)),
        )}</div>${isFirst && !hasMore ? undefined : pageLinks}`
  const content = html`<p class="soft">${words.consoleAuditText}</p>${filterForm(call)}${list}`
  return consolePage(call, { part: 'audit', title: words.consoleAudit, actions: downloads(call), content })
}

function downloads({ query, reader: { words } }: ConsoleCall): Html {
  const chosen = new URLSearchParams(
    fields.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
  const download = (label: string, format: AuditFormat) =>
    linkButton(label, consolePath(`audit.${format}${chosen.size === 0 ? '' : `?${chosen}`}`), {
      look: 'plain',
      icon: 'download',
      more: { download: true },
    })
  return html`<div class="actions">${download(words.auditCsv, 'csv')}${download(words.auditNdjson, 'ndjson')}</div>`
}

function filterForm({ query, reader: { words } }: ConsoleCall): Html {
  const verbs = controlVerbs.map((verb) => [verb, words.consoleVerbs[verb]] as const)
  return html`<form action="${consolePath('audit')}" role="search" aria-label="${words.auditFilter}" class="audit-filter">
${selectField({ label: words.auditWhat, name: 'verb', value: query.get('verb') ?? '', options: [['', words.auditAny], ...verbs] })}
${textField({ label: words.auditWho, name: 'who', value: query.get('who') ?? '', hint: words.consoleWhoHint, more: { maxlength: 100, autocapitalize: 'off', autocomplete: 'off', dir: 'auto' } })}
${textField({ label: words.consoleAffects, name: 'target', value: query.get('target') ?? '', hint: words.consoleAffectsHint, more: { maxlength: 100, autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false' } })}
${textField({ label: words.auditDay, name: 'day', value: query.get('day') ?? '', more: { type: 'date' } })}
${submitButton(words.searchGo, { look: 'plain', icon: 'search' })}
</form>`
}

export const auditPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'audit', handle: showAudit },
  { method: 'GET', path: 'audit.csv', handle: downloadAudit('csv') },
  { method: 'GET', path: 'audit.ndjson', handle: downloadAudit('ndjson') },
]
