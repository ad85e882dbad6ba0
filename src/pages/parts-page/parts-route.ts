import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { sendPage } from '../headers.ts'
import { partsPage } from '../parts-page.ts'
import { readerOf } from '../reader.ts'

/** For developers alone, so that it stands in no list and no description. */
export function addPartsRoute(app: App, server: FastifyInstance): void {
  if (!app.config.isDevelopment) return
  server.get('/_/parts', (request, reply) => sendPage(app, request, reply, partsPage(readerOf(request))))
}
