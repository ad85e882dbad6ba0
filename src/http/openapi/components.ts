import type { TSchema } from 'typebox'
import type { DescribedRoute, Tag } from '../endpoint.ts'
import { idempotencyKeyForm } from '../requests/once/idempotency-key.ts'
import type { Header, OpenApi, Parameter, Reference, Schema } from './openapi-document.ts'

export const header = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

export const idempotencyKey = header(
  'Idempotency-Key',
  '1 to 255 visible ASCII characters. An equal request with the same key within 24 hours gets the same answer, with ' +
    '`Idempotency-Replayed: true`, and has no second effect.',
  { type: 'string', ...idempotencyKeyForm },
)

export const replayedHeader: Header = {
  description: '`true` if this is the answer of an earlier request with the same Idempotency-Key',
  schema: { type: 'string', enum: ['true'] },
}

/** A schema as plain JSON, with references in place of the schemas that have a name. */
export type PlainSchema = (schema: TSchema) => Schema

/** The named schemas of a document, and the way to write its other schemas. */
export function schemasOf(named: Readonly<Record<string, TSchema>>): {
  plainSchema: PlainSchema
  schemas: Readonly<Record<string, Schema>>
} {
  const references = new Map<unknown, { $ref: string }>(
    Object.entries(named).map(([name, schema]) => [schema, { $ref: `#/components/schemas/${name}` }]),
  )
  const plainSchema: PlainSchema = (schema) =>
    JSON.parse(JSON.stringify(schema, (_name, part: unknown) => references.get(part) ?? part))
  // A copy, since the schema itself would be replaced by a reference to it.
  const entries = Object.entries(named).map(([name, schema]) => [name, plainSchema({ ...schema })])
  return { plainSchema, schemas: Object.fromEntries(entries) }
}

/** What a document says besides its calls. */
export interface ApiDescription extends Pick<OpenApi, 'info' | 'components'> {
  tags: readonly { name: Tag; description: string }[]
  plainSchema: PlainSchema
  /** Headers of a call. */
  headersOf: (route: DescribedRoute) => readonly Reference[]
  /** Headers of an answer, beside those that its description names. */
  responseHeadersOf: (route: DescribedRoute, status: number) => Readonly<Record<string, Reference>>
}
