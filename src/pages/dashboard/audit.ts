import { findUserByName } from '../../accounts/index.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import { auditExport } from '../../http/wire/audit-export.ts'
import type { AuditFormat } from '../../http/wire/audit-lines.ts'
import { type Html, html } from '../../lib/html.ts'
import { type AuditFilter, auditVerbs, isAuditVerb, type ListedAudit, listAudit } from '../../site/index.ts'
import {
  auditDownloads,
  auditFilterForm,
  auditFilterIn,
  auditList,
  changesOf,
  positionIn,
  rowsOfAuditPage,
} from '../../ui/audit-parts.ts'
import { textField } from '../../ui/parts/controls.ts'
import { chip } from '../../ui/parts/lists.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag } from '../../words/format.ts'
import type { PageCall, PageHandler } from '../page-call.ts'
import { dashboardPage } from './dashboard-frame.ts'

export const showAudit: PageHandler = async (call) => {
  const { query, reader, site } = call
  const { words } = reader
  const page = { before: positionIn(query), limit: rowsOfAuditPage + 1 }
  const filter = await filterIn(call)
  const list = auditList(call, {
    caption: words.audit,
    found: filter ? await listAudit(site, filter, page) : [],
    cellsOf: (row) => cellsOf(reader, row),
  })
  const content = html`<p class="soft">${words.auditText}</p>${filterForm(call)}${list}`
  const actions = auditDownloads(call, (format) => `/dashboard/audit.${format}`)
  return { page: dashboardPage(call, { part: '/dashboard/audit', actions, content }) }
}

export const downloadAudit =
  (format: AuditFormat): PageHandler =>
  async (call) =>
    sendLines(call.request, call.reply, auditExport(call.site, await filterIn(call), format))

/** Undefined if no user has the name: then there is nothing to show. */
async function filterIn({ site, query }: PageCall): Promise<AuditFilter | undefined> {
  const { verb, who, after, before } = auditFilterIn(query, isAuditVerb)
  const user = who === '' ? undefined : await findUserByName(site.db, who)
  if (who !== '' && !user) return undefined
  return { verb: verb === '' ? undefined : verb, userId: user?.id, after, before }
}

function filterForm(call: PageCall): Html {
  const {
    query,
    reader: { words },
  } = call
  const fields = textField({
    label: words.username,
    name: 'who',
    value: query.get('who') ?? '',
    more: { maxlength: 64, autocapitalize: 'off', autocomplete: 'off', dir: 'auto' },
  })
  const verbs = auditVerbs.map((verb) => [verb, words.auditVerbs[verb]] as const)
  return auditFilterForm(call, { action: '/dashboard/audit', verbs, fields })
}

function cellsOf(reader: Reader, row: ListedAudit): Html[] {
  const { words, language } = reader
  const what = isAuditVerb(row.verb) ? words.auditVerbs[row.verb] : row.verb
  return [
    timeTag(language, new Date(row.at), 'UTC'),
    html`<span class="audit-what"><span>${what}</span>${targetOf(row)}</span>`,
    html`<span class="audit-what">${authorOf(reader, row)}${row.address === null ? undefined : html`<span class="soft breaks">${row.address}</span>`}</span>`,
    changesOf(reader, row),
  ]
}

/** A user and a tag by name, everything else by its id. */
function targetOf({ verb, target, targetName }: ListedAudit): Html | undefined {
  if (target === '' || verb === 'setting.changed') return undefined
  if (verb.startsWith('tag.')) return html`<span dir="auto" class="breaks">${target}</span>`
  return targetName === null
    ? html`<code class="breaks">${target}</code>`
    : html`<a href="/dashboard/users/${target}" dir="auto">${targetName}</a>`
}

function authorOf({ words }: Reader, { actor, userId, username }: ListedAudit): Html {
  const kind = words.auditActors[actor]
  if (userId === null) return html`<span>${kind}</span>`
  const byKey = actor === 'key' ? chip(kind) : undefined
  const name =
    username === null
      ? html`<span>${words.auditDeletedUser} <code class="breaks">${userId}</code></span>`
      : html`<a href="/dashboard/users/${userId}" dir="auto">${username}</a>`
  return html`<span class="with-chip">${name}${byKey}</span>`
}
