import { Type } from 'typebox'
import { readTime } from '../../../http/fields.ts'
import { AuditObject, writeAudit } from '../../../http/wire/audit.ts'
import { auditExport } from '../../../http/wire/audit-export.ts'
import { type AuditFormat, auditFormats } from '../../../http/wire/audit-lines.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
import { idParameter, timeParameter } from '../../../http/wire/query.ts'
import { type AuditFilter, auditVerbs, type ListedAudit, listAudit } from '../../../site/index.ts'
import type { MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import { scopedRefusals } from '../responses.ts'

const filterParameters = {
  verb: Type.Optional(Type.String({ enum: [...auditVerbs], description: 'Only changes of this kind' })),
  user_id: idParameter('Only changes by this user, by session or key'),
  created_after: timeParameter('Made after this time'),
  created_before: timeParameter('Made before this time'),
}

export const getAudit: MediaEndpoint = {
  tag: 'Audit',
  summary: 'Read the audit log',
  description:
    'Who changed what, newest first. Uploads are not recorded. Rows never change and are ' +
    'deleted after `SERVICE_AUDIT_DAYS`.',
  access: 'read-audit',
  query: Type.Object({ ...filterParameters, ...pageParameters }),
  responses: {
    200: { description: 'A page of the log.', schema: PageOf(AuditObject) },
    ...scopedRefusals,
  },
  handle: (call) => {
    const filter = readFilter(call)
    return answerPage<ListedAudit, number>(call, {
      list: 'audit',
      sort: '-sequence',
      filter: chosenParameters(call),
      read: ({ after: before, limit }) => listAudit(call.site, filter, { before, limit }),
      positionOf: ({ sequence }) => sequence,
      write: writeAudit,
    })
  },
}

export const getAuditExport: MediaEndpoint = {
  tag: 'Audit',
  summary: 'Export the audit log',
  description:
    'Streams all matching rows, newest first: one JSON object per line (NDJSON), or CSV. Rows ' +
    'that are written after the call are not included.',
  access: 'read-audit',
  query: Type.Object({
    ...filterParameters,
    format: Type.Optional(
      Type.String({ enum: [...auditFormats], default: 'ndjson', description: 'The format of the export' }),
    ),
  }),
  responses: {
    200: {
      description: 'The log.',
      contentType: 'application/x-ndjson',
      schema: AuditObject,
      headers: { 'Content-Disposition': 'The name of the file' },
      alternatives: { 'text/csv': 'With `format=csv`: a line of names, then one line for each row.' },
    },
    ...scopedRefusals,
  },
  handle: async (call) => {
    const { format = 'ndjson' } = call.query as { format?: AuditFormat }
    return { status: 200, lines: auditExport(call.site, readFilter(call), format) }
  },
}

const chosenParameters = ({ query }: MediaCall) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(filterParameters, name)))

function readFilter({ query }: MediaCall): AuditFilter {
  const given = query as { [Name in keyof typeof filterParameters]?: string }
  const timeOf = (name: 'created_after' | 'created_before') => {
    const value = given[name]
    return value === undefined ? undefined : readTime(value)
  }
  return {
    verb: given.verb,
    userId: given.user_id,
    after: timeOf('created_after'),
    before: timeOf('created_before'),
  }
}
