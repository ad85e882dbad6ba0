import { Type } from 'typebox'
import { publicUrl } from '../../http/addresses/public-url.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { sendPage } from '../../ui/headers.ts'
import { readerOf } from '../../ui/reader.ts'
import { docsBody, docsPage } from './docs-page.ts'

/** A function, because these two endpoints are in the document themselves. */
type Document = () => OpenApi

export const openApiEndpoint = (installation: Document): Endpoint => ({
  tag: 'Description',
  summary: 'Read this description as OpenAPI 3.1',
  access: 'open',
  responses: {
    200: {
      description: 'The description.',
      schema: Type.Object({
        openapi: Type.String({ description: 'The version of OpenAPI that it is written in' }),
      }),
    },
  },
  handle: (app) => {
    const description = builtOnce(installation)
    return async ({ client }, reply) => {
      // The installation answers at every host, and names the one that was asked.
      const { origin } = new URL(publicUrl(app.config, client.host, client.scheme))
      const document = JSON.stringify({ ...description(), servers: [{ url: origin }] })
      return reply.header('content-type', 'application/json; charset=utf-8').send(document)
    }
  },
})

/** Shows the document of the sites' own API too. */
export const docsEndpoint = (installation: Document, siteApi: Document): Endpoint => ({
  tag: 'Description',
  summary: 'Read this description as a page',
  access: 'open',
  responses: { 200: { description: 'The page.', contentType: 'text/html', schema: Type.String() } },
  handle: (app) => {
    const built = builtOnce(() => {
      const description = installation()
      return { description, body: docsBody(description, siteApi()) }
    })
    return async (request, reply) => {
      const { description, body } = built()
      reply.header('cache-control', 'private, no-cache')
      return sendPage(app, request, reply, docsPage(description, body, readerOf(request)))
    }
  },
})

/** Builds it with the first request for it: a start of the server should not wait for that. */
function builtOnce<T>(build: () => T): () => T {
  let built: T | undefined
  return () => {
    built ??= build()
    return built
  }
}
