import { Type } from 'typebox'
import { auditVerbs, type ListedAudit } from '../../site/index.ts'
import { orNull, Timestamp } from '../fields.ts'

const Fields = (description: string) => Type.Object({}, { additionalProperties: true, description })

const actors = ['user', 'key', 'share', 'guest', 'operator', 'tool', 'job']

export const AuditObject = Type.Object(
  {
    sequence: Type.Integer({ description: 'Without gaps, in the order in which the changes were made' }),
    created_at: Timestamp('When the change was made'),
    verb: Type.String({ enum: [...auditVerbs], description: 'What was done' }),
    actor: Type.Object(
      {
        kind: Type.String({ enum: actors, description: 'The kind of caller' }),
        user: orNull(
          Type.Object({
            id: Type.String({ description: 'The id' }),
            username: orNull(Type.String(), 'The name; null if the user is deleted'),
          }),
          'The user of the session or key',
        ),
        key_id: orNull(Type.String(), 'The key that was used'),
      },
      { description: 'Who did it' },
    ),
    address: orNull(Type.String(), 'The address that the request came from'),
    target: Type.String({ description: 'The id of what was changed; empty if the verb is enough' }),
    before: Fields('The changed fields before, without secrets'),
    after: Fields('The changed fields after, without secrets'),
    hash: Type.String({ description: 'SHA-256 of this row and of the hash of the row before it' }),
  },
  {
    examples: [
      {
        sequence: 42,
        created_at: '2026-11-17T09:30:00.000Z',
        verb: 'setting.changed',
        actor: { kind: 'user', user: { id: 'u5Kd', username: 'ada' }, key_id: null },
        address: '192.0.2.7',
        target: 'listing',
        before: { listing: 'off' },
        after: { listing: 'public' },
        hash: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
      },
    ],
  },
)

export const writeAudit = (row: ListedAudit) => ({
  sequence: row.sequence,
  created_at: row.at,
  verb: row.verb,
  actor: {
    kind: row.actor,
    user: row.userId === null ? null : { id: row.userId, username: row.username },
    key_id: row.keyId,
  },
  address: row.address,
  target: row.target,
  before: auditFields(row.before),
  after: auditFields(row.after),
  hash: row.hash,
})

/** The fields of a row under the names of the API. */
export const auditFields = (text: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
