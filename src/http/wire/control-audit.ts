import { Type } from 'typebox'
import {
  type Control,
  type ControlAuditEntry,
  type ControlAuditFilter,
  controlVerbs,
  walkControlAudit,
} from '../../control/index.ts'
import { orNull, Timestamp } from '../fields.ts'
import type { Lines } from '../responses/send-lines.ts'
import { auditFields } from './audit.ts'
import { type AuditColumns, type AuditFormat, auditLines, auditText } from './audit-lines.ts'

const Fields = (description: string) => Type.Object({}, { additionalProperties: true, description })

export const ControlAuditObject = Type.Object(
  {
    sequence: Type.Integer({ description: 'Without gaps, in the order in which the changes were made' }),
    created_at: Timestamp('When the change was made'),
    verb: Type.String({ enum: [...controlVerbs], description: 'What was done' }),
    actor: Type.Object(
      {
        kind: Type.String({
          enum: ['operator', 'key', 'tool', 'job'],
          description:
            'An operator in the console, a management key, the command-line tool, or the server itself',
        }),
        id: orNull(Type.String(), 'The id of the operator or key'),
        name: orNull(Type.String(), 'The name that it had then'),
      },
      { description: 'Who did it' },
    ),
    address: orNull(Type.String(), 'The address that the request came from'),
    user_agent: orNull(Type.String(), 'The program that sent the request'),
    request_id: orNull(Type.String(), 'Names the request: all rows of one request have the same'),
    target: Type.String({
      description: 'The id of what was changed, or the name of a user; empty if the verb is enough',
    }),
    before: Fields('The changed fields before. Of `env` only the names, and no secrets'),
    after: Fields('The changed fields after. Of `env` only the names, and no secrets'),
    hash: Type.String({ description: 'SHA-256 of this row and of the hash of the row before it' }),
  },
  {
    examples: [
      {
        sequence: 42,
        created_at: '2026-11-17T09:30:00.000Z',
        verb: 'tenant.updated',
        actor: { kind: 'key', id: '3', name: 'billing' },
        address: '192.0.2.7',
        user_agent: 'curl/8.9.1',
        request_id: 'Zk3Qm8vTxLw2',
        target: 'cats',
        before: { limits: { SERVICE_MAX_FILES: '1000' }, env: [] },
        after: { limits: { SERVICE_MAX_FILES: '2000' }, env: ['SERVICE_STORAGE_URL'] },
        hash: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
      },
    ],
  },
)

export const writeControlAudit = (row: ControlAuditEntry) => ({
  sequence: row.sequence,
  created_at: row.at,
  verb: row.verb,
  actor: { kind: row.actor, id: row.actorId, name: row.actorName },
  address: row.address,
  user_agent: row.userAgent,
  request_id: row.requestId,
  target: row.target,
  before: auditFields(row.before),
  after: auditFields(row.after),
  hash: row.hash,
})

/** All that the filter lets through, newest first. */
export const controlAuditExport = (
  control: Control,
  filter: ControlAuditFilter,
  format: AuditFormat,
): Lines => auditLines(format, walkControlAudit(control, filter), columns)

/** The same for the tool. */
export const controlAuditText = (
  control: Control,
  filter: ControlAuditFilter,
  format: AuditFormat,
): AsyncGenerator<string> => auditText(format, walkControlAudit(control, filter), columns)

const columns: AuditColumns<ControlAuditEntry> = {
  write: writeControlAudit,
  csvNames: [
    'sequence',
    'created_at',
    'verb',
    'actor',
    'actor_id',
    'actor_name',
    'address',
    'user_agent',
    'request_id',
    'target',
    'before',
    'after',
    'hash',
  ],
  csvCells: (row) => [
    row.sequence,
    row.at,
    row.verb,
    row.actor,
    row.actorId,
    row.actorName,
    row.address,
    row.userAgent,
    row.requestId,
    row.target,
    JSON.stringify(auditFields(row.before)),
    JSON.stringify(auditFields(row.after)),
    row.hash,
  ],
}
