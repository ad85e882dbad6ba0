import { Type } from 'typebox'
import { type ControlAuditFilter, controlVerbs, listControlAudit } from '../../control/index.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { readTime } from '../../http/fields.ts'
import { readControlCursor, writeControlCursor } from '../../http/responses/cursors.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import { type AuditFormat, auditFormats } from '../../http/wire/audit-lines.ts'
import { ControlAuditObject, controlAuditExport, writeControlAudit } from '../../http/wire/control-audit.ts'
import { PageOf, pageParameters, usualLimit } from '../../http/wire/pages.ts'
import { textParameter, timeParameter, wordParameter } from '../../http/wire/query.ts'
import { faultOf } from '../../lib/faults.ts'
import { queryOf, refusedQuery } from './query.ts'
import { signedRefusals } from './responses.ts'

const filterParameters = {
  verb: wordParameter(controlVerbs, 'Only changes of this kind'),
  actor: textParameter(
    'Only changes by this operator or key, by id or name, or by one kind: `operator`, `key`, `tool`, `job`',
    100,
  ),
  target: textParameter('Only changes of what has this id', 100),
  created_after: timeParameter('Made after this time'),
  created_before: timeParameter('Made before this time'),
}

type Given = { [Name in keyof typeof filterParameters]?: string }

const AuditQuery = Type.Object({ ...filterParameters, ...pageParameters })

const badQuery = refusedQuery({ ...faultOf('created_after', 'time'), in: 'query' })

export const getControlAudit: Endpoint = {
  tag: 'Audit',
  summary: 'Read the audit log',
  description:
    'Who changed what in the installation, newest first: in the console, by this API and with the tool. ' +
    'A row is written in the transaction of its change, and no row is ever changed or deleted.',
  access: 'signed',
  query: AuditQuery,
  responses: {
    200: { description: 'A page of the log.', schema: PageOf(ControlAuditObject) },
    ...signedRefusals,
    400: badQuery,
  },
  handle: (app) => async (request) => {
    const {
      limit = usualLimit,
      cursor,
      ...chosen
    } = queryOf(AuditQuery, request) as Given & {
      limit?: number
      cursor?: string
    }
    const list = { list: 'audit', sort: '-sequence', filter: chosen }
    const before = readControlCursor<number>(app, list, cursor)
    const rows = await listControlAudit(request.control, filterOf(chosen), { before, limit: limit + 1 })
    const sent = rows.slice(0, limit)
    const last = rows.length > limit ? sent.at(-1) : undefined
    return {
      data: sent.map(writeControlAudit),
      next_cursor: last ? writeControlCursor(app, list, last.sequence) : null,
    }
  },
}

const ExportQuery = Type.Object({
  ...filterParameters,
  format: wordParameter(auditFormats, 'The format of the export', 'ndjson'),
})

export const getControlAuditExport: Endpoint = {
  tag: 'Audit',
  summary: 'Export the audit log',
  description:
    'Streams all matching rows, newest first: one JSON object per line (NDJSON), or CSV. Rows ' +
    'that are written after the call are not included.',
  access: 'signed',
  query: ExportQuery,
  responses: {
    200: {
      description: 'The log.',
      contentType: 'application/x-ndjson',
      schema: ControlAuditObject,
      headers: { 'Content-Disposition': 'The name of the file' },
      alternatives: { 'text/csv': 'With `format=csv`: a line of names, then one line for each row.' },
    },
    ...signedRefusals,
    400: badQuery,
  },
  handle: () => async (request, reply) => {
    const { format = 'ndjson', ...chosen } = queryOf(ExportQuery, request) as Given & { format?: AuditFormat }
    return sendLines(request, reply, controlAuditExport(request.control, filterOf(chosen), format))
  },
}

function filterOf({ verb, actor, target, created_after, created_before }: Given): ControlAuditFilter {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : readTime(text))
  return {
    verbs: verb === undefined ? undefined : [verb],
    actor,
    target,
    after: timeOf(created_after),
    before: timeOf(created_before),
  }
}
