import {
  type ControlAuditEntry,
  type ControlAuditFilter,
  controlVerbs,
  isControlVerb,
  listControlAudit,
  listOperators,
} from '../../control/index.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import type { AuditFormat } from '../../http/wire/audit-lines.ts'
import { controlAuditExport } from '../../http/wire/control-audit.ts'
import { type Html, html } from '../../lib/html.ts'
import { knownPlanIds, knownTenantIds } from '../../tenants/index.ts'
import {
  auditDownloads,
  auditFilterForm,
  auditFilterIn,
  auditList,
  positionIn,
  rowsOfAuditPage,
} from '../../ui/audit-parts.ts'
import { textField } from '../../ui/parts/controls.ts'
import { type ConsoleCall, type ConsoleHandler, type ConsoleRoute, consolePath } from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { auditCells, type KnownTargets } from './audit-row.ts'

const showAudit: ConsoleHandler = async (call) => {
  const { control, query, reader } = call
  const { words } = reader
  const page = { before: positionIn(query), limit: rowsOfAuditPage + 1 }
  const found = await listControlAudit(control, filterIn(query), page)
  const known = await knownTargets(call, found)
  const list = auditList(call, {
    caption: words.consoleAudit,
    found,
    cellsOf: (row) => auditCells(reader, row, known),
  })
  const content = html`<p class="soft">${words.consoleAuditText}</p>${filterForm(call)}${list}`
  const actions = auditDownloads(call, (format) => consolePath(`audit.${format}`))
  return { page: consolePage(call, { part: 'audit', title: words.consoleAudit, actions, content }) }
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

function filterIn(query: URLSearchParams): ControlAuditFilter {
  const { verb, who, target, ...range } = auditFilterIn(query, isControlVerb)
  return {
    verbs: verb === '' ? undefined : [verb],
    actor: who === '' ? undefined : who,
    target: target === '' ? undefined : target,
    ...range,
  }
}

function filterForm(call: ConsoleCall): Html {
  const {
    query,
    reader: { words },
  } = call
  const fields = html`${textField({ label: words.auditWho, name: 'who', value: query.get('who') ?? '', hint: words.consoleWhoHint, more: { maxlength: 100, autocapitalize: 'off', autocomplete: 'off', dir: 'auto' } })}
${textField({ label: words.consoleAffects, name: 'target', value: query.get('target') ?? '', hint: words.consoleAffectsHint, more: { maxlength: 100, autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false' } })}`
  const verbs = controlVerbs.map((verb) => [verb, words.consoleVerbs[verb]] as const)
  return auditFilterForm(call, { action: consolePath('audit'), verbs, fields })
}

export const auditPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'audit', handle: showAudit },
  { method: 'GET', path: 'audit.csv', handle: downloadAudit('csv') },
  { method: 'GET', path: 'audit.ndjson', handle: downloadAudit('ndjson') },
]
