import { Type } from 'typebox'
import { type RoutingOptions, routingDocument } from '../../tenants/index.ts'
import type { App } from '../../app.ts'
import type { Endpoint } from '../endpoint.ts'
import { ownUrl } from '../public-url.ts'
import { refusals } from './answers.ts'
import { keptBytes } from './kept-bytes.ts'

const Router = Type.Object({
  rule: Type.String(),
  service: Type.String(),
  entryPoints: Type.Array(Type.String()),
  middlewares: Type.Array(Type.String()),
})

export const getProxyConfiguration: Endpoint = {
  summary: 'Read the routing for the reverse proxy',
  description: 'For Traefik’s HTTP provider. Answered on the machine itself only; needs the key and no signature.',
  access: 'local-key',
  answers: {
    200: {
      description: 'The whole routing; the same bytes for the same tenants.',
      schema: Type.Object({
        http: Type.Object({
          routers: Type.Record(Type.String(), Router),
          services: Type.Record(
            Type.String(),
            Type.Object({
              loadBalancer: Type.Object({
                servers: Type.Array(Type.Object({ url: Type.String() })),
                passHostHeader: Type.Boolean(),
              }),
            }),
          ),
          middlewares: Type.Record(
            Type.String(),
            Type.Object({ ipAllowList: Type.Object({ sourceRange: Type.Array(Type.String()) }) }),
          ),
        }),
      }),
      example: {
        http: {
          routers: {
            cats: {
              rule: 'Host(`cats.example.com`)',
              service: 'service',
              entryPoints: ['websecure'],
              middlewares: ['allow-range'],
            },
          },
          services: {
            service: { loadBalancer: { servers: [{ url: 'http://127.0.0.1:8080' }], passHostHeader: true } },
          },
          middlewares: { 'allow-range': { ipAllowList: { sourceRange: ['0.0.0.0/0', '::/0'] } } },
        },
      },
    },
    ...refusals(401, 403, 503),
  },
  handle: (app) => {
    const bytes = keptBytes(app, () => routingDocument(app.control, routingOf(app)))
    return async (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send(await bytes())
  },
}

function routingOf(app: App): RoutingOptions {
  const { routing } = app.config
  return { ...routing, upstreams: routing.upstreams ?? [ownUrl(app.config)] }
}
