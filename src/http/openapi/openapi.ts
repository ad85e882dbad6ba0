import type { TObject, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { isRight, mayDo } from '../../accounts/index.ts'
import type {
  Access,
  DescribedResponse,
  DescribedRoute,
  Description,
  MediaAccess,
  SiteAccess,
} from '../endpoint.ts'
import type { ApiDescription, PlainSchema } from './components.ts'
import type {
  DescribedAccess,
  OpenApi,
  Operation,
  Parameter,
  Reference,
  Response,
  Schema,
} from './openapi-document.ts'

const byUser: Operation['security'] = [{ siteKey: [] }, { bearer: [] }, { session: [] }]

const securityOf: Record<DescribedAccess, Operation['security']> = {
  open: [],
  local: [],
  'local-key': [{ key: [] }],
  'local-or-key': [{}, { key: [] }],
  signed: [{ key: [], signature: [] }],
  anyone: [],
  viewer: [],
  'album-password': [],
  // In a form the key may be a parameter of the body too, which OpenAPI cannot say.
  uploader: [{ uploadKey: [] }, { uploadKeyInQuery: [] }],
  'link-token': [],
  visitor: [{}, ...byUser, { share: [] }],
  'visitor-read': [{}, ...byUser, { share: [] }],
  'guest-upload': byUser,
  'guest-or-share-upload': [...byUser, { share: [] }],
  upload: byUser,
  read: byUser,
  write: byUser,
  admin: byUser,
  'account-read': byUser,
  'account-write': byUser,
  staff: byUser,
  administrator: byUser,
}

function describedAccess(access: Access | SiteAccess | MediaAccess): DescribedAccess {
  if (!isRight(access)) return access
  return mayDo('manager', access) ? 'staff' : 'administrator'
}

/** Describes the routes in OpenAPI 3.1. The schemas of bodies are the ones that check them. */
export function openApiOf(routes: readonly DescribedRoute[], description: ApiDescription): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.path.replace('*', '{path}')
    const operation = operationOf({ ...route, path }, description)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  const { info, tags, components } = description
  return { openapi: '3.1.0', info, tags, paths, components }
}

function operationOf(
  route: DescribedRoute,
  { plainSchema, headersOf, responseHeadersOf }: ApiDescription,
): Operation {
  const { endpoint } = route
  const parameters = [
    ...parametersOf('path', endpoint.params, plainSchema),
    ...parametersOf('query', endpoint.query, plainSchema),
    ...headersOf(route),
  ]
  return {
    operationId: operationIdOf(route),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(endpoint, plainSchema),
    responses: Object.fromEntries(
      Object.entries(endpoint.responses).map(([status, response]) => [
        status,
        responseOf(response, plainSchema, responseHeadersOf(route, Number(status))),
      ]),
    ),
    security: securityOf[describedAccess(endpoint.access)],
    'x-access': describedAccess(endpoint.access),
  }
}

/** `GET /_/api/4/tenants/{id}` is `getTenantsById`, `GET /api/5/me` is `getMe`, `GET /` is `getHome`. */
function operationIdOf({ method, path }: DescribedRoute): string {
  const words = (path === '/' ? 'home' : path)
    .replace(/^\/_\/(api\/4\/)?|^\/api\/5\//, '')
    .replaceAll('{', 'by-')
    .split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(
  location: Parameter['in'],
  schema: TObject | undefined,
  plainSchema: PlainSchema,
): Parameter[] {
  const { properties = {}, required = [] } = schema ? plainSchema(schema) : {}
  return Object.entries(properties).map(([name, { description = '', ...rest }]) => ({
    name,
    in: location,
    required: required.includes(name),
    description,
    schema: rest,
  }))
}

function requestBodyOf(
  { body, bodyExample, forms = {}, isBodyOptional }: Description,
  plainSchema: PlainSchema,
): Pick<Operation, 'requestBody'> {
  const mediaTypeOf = (schema: TSchema, example?: unknown) => writeMediaType(plainSchema(schema), example)
  const schemas = [...Object.values(forms), ...(body ? [body] : [])]
  if (schemas.length === 0) return {}
  const content = {
    ...Object.fromEntries(Object.entries(forms).map(([type, schema]) => [type, mediaTypeOf(schema)])),
    ...(body && { 'application/json': mediaTypeOf(body, bodyExample) }),
  }
  // A call without a body means an empty object.
  const required = !isBodyOptional && !schemas.some((schema) => Check(schema, {}))
  return { requestBody: { required, content } }
}

function responseOf(
  {
    description,
    contentType = 'application/json',
    schema,
    example,
    alternatives = {},
    headers = {},
  }: DescribedResponse,
  plainSchema: PlainSchema,
  common: Readonly<Record<string, Reference>>,
): Response {
  const described = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ])
  const all = [...described, ...Object.entries(common)]
  const others = Object.entries(alternatives).map(([type, text]) => [
    type,
    { schema: { type: 'string', description: text } },
  ])
  return {
    description,
    ...(all.length === 0 ? {} : { headers: Object.fromEntries(all) }),
    ...(schema === undefined
      ? {}
      : {
          content: {
            [contentType]: writeMediaType(plainSchema(schema), example),
            ...Object.fromEntries(others),
          },
        }),
  }
}

const writeMediaType = (schema: Schema, example?: unknown) => ({
  schema,
  ...(example === undefined ? {} : { example }),
})
