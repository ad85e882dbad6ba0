import type { TObject, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { components, plainSchema, signedParameters, tags } from './docs/components.ts'
import type { OpenApi, Operation, Parameter, Response } from './docs/openapi-document.ts'
import type { Access, Answer, Endpoint, Route } from './endpoint.ts'

const securityOf: Record<Access, Operation['security']> = {
  open: [],
  local: [],
  'local-key': [{ key: [] }],
  'local-or-key': [{}, { key: [] }],
  signed: [{ key: [], signature: [] }],
}

/** The description of the routes, in OpenAPI 3.1: the schemas that check are the ones that are shown. */
export function openApiOf(routes: readonly Route[]): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Terrace tenant management',
      version: '4',
      description:
        'Tenants, plans, installation, password reset and proxy routing of one installation. Every call carries a key in `X-API-Key` ' +
        'and, unless it says otherwise, an HMAC-SHA256 of its raw body in `X-Signature`.\n\n' +
        'The addresses answer on every host. Bodies are JSON objects in UTF-8 of at most 1 MiB, with `Content-Type: application/json`. ' +
        'A field that is unknown, given twice or of another type is refused. Times are in UTC.',
    },
    tags,
    paths,
    components,
  }
}

function operationOf(route: Route): Operation {
  const { endpoint } = route
  const parameters = [
    ...parametersOf('path', endpoint.params),
    ...parametersOf('query', endpoint.query),
    ...(endpoint.access === 'signed' ? signedParameters : []),
  ]
  return {
    operationId: operationIdOf(route),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint, endpoint.body) }),
    responses: Object.fromEntries(
      Object.entries(endpoint.answers).map(([status, answer]) => [status, responseOf(answer)]),
    ),
    security: securityOf[endpoint.access],
    'x-access': endpoint.access,
  }
}

/** `GET /_/api/4/tenants/{id}` is `getTenantsById`. */
function operationIdOf({ method, path }: Route): string {
  const words = path
    .replace(/^\/_\/(api\/4\/)?/, '')
    .replaceAll('{', 'by-')
    .split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(place: Parameter['in'], schema: TObject | undefined): Parameter[] {
  const { properties = {}, required = [] } = schema ? plainSchema(schema) : {}
  return Object.entries(properties).map(([name, { description = '', ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema: rest,
  }))
}

const requestBodyOf = ({ bodyExample }: Endpoint, body: TSchema) => ({
  // A call without a body means an empty object.
  required: !Check(body, {}),
  content: { 'application/json': mediaTypeOf(body, bodyExample) },
})

function responseOf({
  description,
  contentType = 'application/json',
  schema,
  example,
  headers = {},
}: Answer): Response {
  const written = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ])
  return {
    description,
    ...(written.length === 0 ? {} : { headers: Object.fromEntries(written) }),
    ...(schema === undefined ? {} : { content: { [contentType]: mediaTypeOf(schema, example) } }),
  }
}

const mediaTypeOf = (schema: TSchema, example: unknown) => ({
  schema: plainSchema(schema),
  ...(example === undefined ? {} : { example }),
})
