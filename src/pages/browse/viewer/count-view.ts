import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { isPrefetchOrBot } from '../../../http/requests/user-agents.ts'
import type { Site } from '../../../site/index.ts'

interface PageView {
  request: FastifyRequest
  /** What the page shows: a file, or an album. */
  seen: { kind?: 'file' | 'album'; id: string; views: number }
}

/** Counts a view by a person, in memory, and returns the views so far. */
export function countView(app: App, site: Site, { request, seen }: PageView): number {
  const { pendingStats } = app.control
  const isCounted = request.method !== 'HEAD' && !isPrefetchOrBot(request.headers)
  return isCounted ? pendingStats.addView(site.number, seen) : pendingStats.viewsOf(site.number, seen)
}
