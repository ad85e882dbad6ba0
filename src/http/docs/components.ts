import type { TSchema } from 'typebox'
import type { Tag } from '../endpoint.ts'
import { ErrorObject } from '../refused.ts'
import { PlanObject, TenantObject } from '../tenants-v4/wire.ts'
import type { OpenApi, Parameter, Schema, SecurityScheme } from './openapi-document.ts'

/** The chapters, in the order in which they are read. */
export const tags: readonly { name: Tag; description: string }[] = [
  { name: 'Credentials', description: 'Find out whether a key and the way of signing work.' },
  { name: 'Tenants', description: 'A tenant is a customer with a site behind a hostname of its own.' },
  {
    name: 'Plans',
    description:
      'A plan is a named set of limits and environment for many tenants. A tenant’s own values win over it.',
  },
  { name: 'Proxy', description: 'What a reverse proxy on the same machine asks for.' },
  { name: 'Health', description: 'For load balancers, supervisors and monitoring.' },
  { name: 'Description', description: 'This description, for programs and for people.' },
]

const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A management key, made by `bin/tenants api:key:create`.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description:
      'HMAC-SHA256 with the request secret, 64 hex digits: of the raw body (of the empty string when there is none), or, with ' +
      '`X-Signature-Version: 2`, of `v2\\n<timestamp>\\n<nonce>\\n<METHOD>\\n<path and query>\\n<sha256 hex of body>`.',
  },
}

const header = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const parameters: Readonly<Record<string, Parameter>> = {
  SignatureVersion: header(
    'X-Signature-Version',
    '`1` (the default) signs the body alone; `2` signs time, nonce and target too.',
    {
      type: 'string',
      default: '1',
    },
  ),
  Timestamp: header('X-Timestamp', 'For version 2: unix time in seconds, at most 300 off.', {
    type: 'string',
  }),
  Nonce: header('X-Nonce', 'For version 2: 8 to 128 visible ASCII characters, never used before.', {
    type: 'string',
  }),
}

/** What a signed call may carry besides: the second scheme is each caller's choice. */
export const signedParameters = Object.keys(parameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

const namedSchemas: Readonly<Record<string, TSchema>> = {
  Tenant: TenantObject,
  Plan: PlanObject,
  Error: ErrorObject,
}

const references = new Map<unknown, { $ref: string }>(
  Object.entries(namedSchemas).map(([name, schema]) => [schema, { $ref: `#/components/schemas/${name}` }]),
)

/** A schema as it is written down: those that have a name are referred to by it. */
export const plainSchema = (schema: TSchema): Schema =>
  JSON.parse(JSON.stringify(schema, (_name, part: unknown) => references.get(part) ?? part))

export const components: OpenApi['components'] = {
  // A copy is not taken for the named schema that it spells out.
  schemas: Object.fromEntries(
    Object.entries(namedSchemas).map(([name, schema]) => [name, plainSchema({ ...schema })]),
  ),
  parameters,
  securitySchemes,
}
