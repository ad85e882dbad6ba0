import { docsPage } from './docs-page.ts'
import type { Endpoint } from './endpoint.ts'
import { openApiOf } from './openapi.ts'
import { routes } from './routes.ts'

export const getOpenApi: Endpoint = {
  summary: 'Read this description as OpenAPI 3.1',
  access: 'open',
  answers: { 200: { description: 'The description.' } },
  handle: () => async () => openApiOf(routes),
}

export const getDocs: Endpoint = {
  summary: 'Read this description as a page',
  access: 'open',
  answers: { 200: { description: 'The page.' } },
  handle: () => async (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
      .send(docsPage(openApiOf(routes))),
}
