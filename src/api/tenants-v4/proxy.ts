import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { badKey } from '../../control/index.ts'
import { ownUrl } from '../../http/addresses/public-url.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { refused, storeUnavailableResponse } from '../../http/openapi/described-refusal.ts'
import { notLocal, orCannotRead, routeNotFound } from '../../http/responses/errors.ts'
import { type RoutingOptions, routingDocument } from '../../tenants/index.ts'
import { sendLongJson } from './long-json.ts'

const Router = Type.Object({
  rule: Type.String({ description: 'Matches the hostname' }),
  service: Type.String({ description: 'The name of a service below' }),
  entryPoints: Type.Array(Type.String(), { description: 'Where the proxy listens' }),
  middlewares: Type.Array(Type.String(), { description: 'Names of middlewares below' }),
})

const Service = Type.Object({
  loadBalancer: Type.Object({
    servers: Type.Array(Type.Object({ url: Type.String({ description: 'The address of a server' }) })),
    passHostHeader: Type.Boolean({ description: 'Always true: the host selects the tenant' }),
  }),
})

const Middleware = Type.Object({
  ipAllowList: Type.Object({
    sourceRange: Type.Array(Type.String(), {
      description: 'Ranges of client addresses that are let through',
    }),
  }),
})

const routerOf = (hostname: string) => ({
  rule: `Host(\`${hostname}\`)`,
  service: 'service',
  entryPoints: ['websecure'],
  middlewares: ['allow-range'],
})

export const getProxyConfiguration: Endpoint = {
  tag: 'Proxy',
  summary: 'Read the routing for the reverse proxy',
  description: 'The document that Traefik’s HTTP provider reads. The same tenants give the same bytes.',
  access: 'local-key',
  responses: {
    200: {
      description: 'The whole routing.',
      schema: Type.Object({
        http: Type.Object({
          routers: Type.Record(Type.String(), Router, {
            description:
              'One for each tenant, by its id, `*` for the installation’s own host, and `*console` if the console has another',
          }),
          services: Type.Record(Type.String(), Service, { description: 'By name' }),
          middlewares: Type.Record(Type.String(), Middleware, { description: 'By name' }),
        }),
      }),
      example: {
        http: {
          routers: { '*': routerOf('localhost'), cats: routerOf('cats.example.com') },
          services: {
            service: { loadBalancer: { servers: [{ url: 'http://127.0.0.1:8080' }], passHostHeader: true } },
          },
          middlewares: { 'allow-range': { ipAllowList: { sourceRange: ['0.0.0.0/0', '::/0'] } } },
        },
      },
    },
    401: refused('The key is missing or not valid.', badKey()),
    403: refused('Not called from the machine itself, or the address is not on the allow list.', notLocal()),
    404: refused('Not called on the internal port, if one is set.', routeNotFound()),
    503: storeUnavailableResponse,
  },
  handle: (app) => {
    const read = routingDocument(app.control, routingOf(app))
    return async (_request, reply) => sendLongJson(reply, await orCannotRead(read()))
  },
}

export const getTraefikConfiguration: Endpoint = {
  ...getProxyConfiguration,
  summary: 'Read the routing at its other address',
  description: 'The same document as at `config/proxy`.',
}

function routingOf(app: App): RoutingOptions {
  const { routing } = app.config
  return { ...routing, upstreams: routing.upstreams ?? [ownUrl(app.config)] }
}
