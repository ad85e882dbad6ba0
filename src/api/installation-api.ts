import type { TSchema } from 'typebox'
import type { DescribedRoute, Tag } from '../http/endpoint.ts'
import {
  type ApiDescription,
  header,
  idempotencyKey,
  replayedHeader,
  schemasOf,
} from '../http/openapi/components.ts'
import { ErrorObject } from '../http/openapi/described-refusal.ts'
import type { Parameter, SecurityScheme } from '../http/openapi/openapi-document.ts'
import { nonceForm } from '../http/signed/signature.ts'
import { largestWholeNumber } from '../lib/sizes.ts'
import { PlanObject, TenantObject } from './tenants-v4/wire.ts'
import { UploadedFileObject } from './upload-v1/wire-schema.ts'

/** The chapters, in the order of the page. */
const tags: readonly { name: Tag; description: string }[] = [
  { name: 'Upload', description: 'Send a file to a site, at the host of the site.' },
  { name: 'Files', description: 'Read the bytes of files, at the host of the site.' },
  {
    name: 'Pages',
    description: 'Pages about files and how other sites show them, at the host of the site.',
  },
  {
    name: 'Deletion',
    description: 'The link that an upload returns deletes its file, at the host of the site.',
  },
  { name: 'Credentials', description: 'Check whether a key and a signature work.' },
  { name: 'Tenants', description: 'A tenant is a customer with a site on its own hostname.' },
  {
    name: 'Plans',
    description:
      'A plan is a named set of limits and environment for many tenants. A tenant’s own values override it.',
  },
  { name: 'Audit', description: 'Every change of the installation, and who made it.' },
  { name: 'Proxy', description: 'For a reverse proxy on the same machine.' },
  { name: 'Health', description: 'For load balancers, supervisors and monitoring.' },
  { name: 'Description', description: 'This description, for programs and for people.' },
]

const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A management key, created by `bin/tenants api:key:create`.',
  },
  uploadKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An upload key of a user of the site (`trc_…`), or the `public_key` of the site for guests.',
  },
  uploadKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description:
      'The upload key as a parameter of the query or of the body. Prefer the header: queries end up in logs.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description:
      'HMAC-SHA256 with the request secret, 64 hex digits: of the raw body (of the empty string ' +
      'when there is none), or, with ' +
      '`X-Signature-Version: 2`, of `v2\\n<timestamp>\\n<nonce>\\n<METHOD>\\n<path and ' +
      'query>\\n<sha256 hex of body>`.',
  },
}

const signatureHeaders: Readonly<Record<string, Parameter>> = {
  SignatureVersion: header(
    'X-Signature-Version',
    '`1` (the default) signs only the body; `2` also signs time, nonce and target.',
    {
      type: 'string',
      enum: ['1', '2'],
      default: '1',
    },
  ),
  Timestamp: header('X-Timestamp', 'For version 2: unix time in seconds, at most 300 off.', {
    type: 'integer',
    minimum: 0,
    maximum: largestWholeNumber,
  }),
  Nonce: header('X-Nonce', 'For version 2: 8 to 128 visible ASCII characters, never used before.', {
    type: 'string',
    pattern: nonceForm.source,
  }),
}

/** Headers of the second signature scheme, which each caller may choose. */
const signedParameters = Object.keys(signatureHeaders).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

const parameters: Readonly<Record<string, Parameter>> = {
  ...signatureHeaders,
  IdempotencyKey: idempotencyKey,
}

const pathsWithKey: ReadonlySet<string> = new Set(['/_/api/4/tenants', '/api/1/upload'])

const onceParameters = ({ method, path }: DescribedRoute) =>
  method === 'POST' && pathsWithKey.has(path) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []

const namedSchemas: Readonly<Record<string, TSchema>> = {
  Tenant: TenantObject,
  Plan: PlanObject,
  Error: ErrorObject,
  UploadedFile: UploadedFileObject,
}

const { plainSchema, schemas } = schemasOf(namedSchemas)

/** The document of the installation: all addresses but those of the sites' own API. */
export const installationApi: ApiDescription = {
  info: {
    title: 'Terrace',
    version: '4',
    description:
      'There are two kinds of addresses. Those of a site accept uploads and show files, on the host of each site. ' +
      'Those below `/_/` manage the tenants, plans, password resets and proxy routing of one installation, on every ' +
      'host.\n\n' +
      'A management call needs a key in `X-API-Key` and, unless stated otherwise, an ' +
      'HMAC-SHA256 of its raw body in `X-Signature`. ' +
      'Its body is a JSON object in UTF-8 of at most 1 MiB, with `Content-Type: application/json`. ' +
      'A field that is unknown, given twice or of another type is refused. Times are in UTC.',
  },
  tags,
  components: { schemas, parameters, headers: { IdempotencyReplayed: replayedHeader }, securitySchemes },
  plainSchema,
  headersOf: (route) => [
    ...(route.endpoint.access === 'signed' ? signedParameters : []),
    ...onceParameters(route),
  ],
  responseHeadersOf: (route, status) =>
    status < 400 && onceParameters(route).length > 0
      ? { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } }
      : {},
}
