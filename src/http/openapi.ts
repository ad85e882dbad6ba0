import type { Access, Answer, Route } from './endpoint.ts'

const securityOf: Record<Access, Record<string, string[]>[]> = {
  open: [],
  local: [],
  'local-key': [{ key: [] }],
  'local-or-key': [{}, { key: [] }],
  signed: [{ key: [], signature: [] }],
}

export type OpenApi = ReturnType<typeof openApiOf>

/** The description of the routes, in OpenAPI 3.1: the schemas that check are the ones that are shown. */
export function openApiOf(routes: readonly Route[]) {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[route.method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Terrace tenant management',
      version: '4',
      description:
        'Tenants, plans, installation, password reset and proxy routing. Every call carries a key in `X-API-Key` and, ' +
        'unless it says otherwise, the HMAC-SHA256 of its raw body in `X-Signature` (of the empty string when it has none).',
    },
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Made by `bin/tenants api:key:create`.' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Signature',
          description: 'HMAC-SHA256 of the raw body with the request secret, 64 hex digits.',
        },
      },
    },
  }
}

function operationOf({ method, path, endpoint }: Route) {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    operationId: `${method} ${path}`.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    security: securityOf[endpoint.access],
    ...(endpoint.bodyExample === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: endpoint.body, example: endpoint.bodyExample } } } }),
    responses: Object.fromEntries(
      Object.entries(endpoint.answers).map(([status, answer]) => [status, responseOf(answer)]),
    ),
  }
}

function responseOf({ description, schema, example }: Answer) {
  if (schema === undefined && example === undefined) return { description }
  return {
    description,
    content: { 'application/json': { ...(schema ? { schema } : {}), ...(example === undefined ? {} : { example }) } },
  }
}
