import { findUserByName } from '../../../accounts/index.ts'
import { badRequest } from '../../../http/responses/errors.ts'
import { sendLines } from '../../../http/responses/send-lines.ts'
import { type AuditFormat, auditExport } from '../../../http/wire/audit-export.ts'
import { type AuditFilter, isAuditVerb, listAudit } from '../../../site/index.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { auditPage } from '../audit.ts'

const rowsOfPage = 50

export const showAudit: PageHandler = async (call) => {
  const before = positionIn(call)
  const filter = await filterIn(call)
  const found = filter ? await listAudit(call.site, filter, { before, limit: rowsOfPage + 1 }) : []
  const [rows, hasMore] = [found.slice(0, rowsOfPage), found.length > rowsOfPage]
  return { page: auditPage(call, { rows, isFirst: before === undefined, hasMore }) }
}

export const downloadAudit =
  (format: AuditFormat): PageHandler =>
  async (call) =>
    sendLines(call.request, call.reply, auditExport(call.site, await filterIn(call), format))

const dayMs = 86_400_000

/** Undefined if no user has the name: then there is nothing to show. */
async function filterIn({ site, query }: PageCall): Promise<AuditFilter | undefined> {
  const [verb, who, day] = ['verb', 'who', 'day'].map((name) => query.get(name)?.trim() ?? '') as [
    string,
    string,
    string,
  ]
  if (verb !== '' && !isAuditVerb(verb))
    throw badRequest(`verb: must be one of the list, not "${verb.slice(0, 40)}"`)
  const start = day === '' ? undefined : startOfDay(day)
  // PostgreSQL refuses a NUL in a text, and no name has one.
  const user = who === '' ? undefined : await findUserByName(site.db, who.replaceAll('\0', ' '))
  if (who !== '' && !user) return undefined
  return {
    verb: verb === '' ? undefined : verb,
    userId: user?.id,
    // Both exclude their moment.
    after: start && new Date(start.getTime() - 1),
    before: start && new Date(start.getTime() + dayMs),
  }
}

function startOfDay(day: string): Date {
  const at = new Date(`${day}T00:00:00.000Z`)
  // Date takes 30 February for 2 March.
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day))
    throw badRequest(`day: must be a day like 2026-11-16, not "${day.slice(0, 20)}"`)
  return at
}

function positionIn({ query }: PageCall): number | undefined {
  const text = query.get('before')
  if (text === null) return undefined
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`before: must be a whole number, not "${text.slice(0, 20)}"`)
  return Number(text)
}
