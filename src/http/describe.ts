import { Type } from 'typebox'
import { docsPage } from './docs-page.ts'
import type { Endpoint, Route } from './endpoint.ts'
import { openApiOf } from './openapi.ts'
import { pagePolicy } from './pages.ts'

/** The page that lists the routes is one of them itself, so that it is asked for them later. */
type Routes = () => readonly Route[]

export const openApiEndpoint = (routes: Routes): Endpoint => ({
  tag: 'Description',
  summary: 'Read this description as OpenAPI 3.1',
  access: 'open',
  answers: {
    200: {
      description: 'The description.',
      schema: Type.Object({
        openapi: Type.String({ description: 'The version of OpenAPI that it is written in' }),
      }),
    },
  },
  handle: () => {
    const description = JSON.stringify(openApiOf(routes()))
    return async (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send(description)
  },
})

export const docsEndpoint = (routes: Routes): Endpoint => ({
  tag: 'Description',
  summary: 'Read this description as a page',
  access: 'open',
  answers: { 200: { description: 'The page.', contentType: 'text/html', schema: Type.String() } },
  handle: () => {
    const page = docsPage(openApiOf(routes()))
    return async (_request, reply) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', pagePolicy)
        .send(page)
  },
})
