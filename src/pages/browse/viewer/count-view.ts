import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { isPrefetchOrBot } from '../../../http/requests/user-agents.ts'
import type { Site } from '../../../site/index.ts'

interface PageView {
  request: FastifyRequest
  /** What the page shows: a file, or an album. */
  seen: { kind?: 'file' | 'album'; id: string; views: number }
}

interface Question {
  site: number
  seen: PageView['seen']
  isCounted: boolean
}

/** The first process counts for all of the server, so that each of them shows every view. */
export function shareViews(app: App): void {
  app.processes.answer('view', (question: Question) => countHere(app, question))
}

/** Counts a view by a person, in memory, and returns the views so far. */
export async function countView(app: App, site: Site, { request, seen }: PageView): Promise<number> {
  const isCounted = request.method !== 'HEAD' && !isPrefetchOrBot(request.headers)
  const question: Question = { site: site.number, seen, isCounted }
  const { first } = app.processes
  return first ? first.ask<number>('view', question) : countHere(app, question)
}

const countHere = ({ control: { pendingStats } }: App, { site, seen, isCounted }: Question): number =>
  isCounted ? pendingStats.addView(site, seen) : pendingStats.viewsOf(site, seen)
