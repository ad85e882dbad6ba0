import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { countView, type StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { publishTotals } from '../../tenants/index.ts'
import { isLookingAhead } from './askers.ts'

interface Visit {
  request: FastifyRequest
  file: StoredFile
}

/** Counts a person's look at a file and tells the views so far. */
export async function countVisit(app: App, site: Site, { request, file }: Visit): Promise<number> {
  if (request.method === 'HEAD' || isLookingAhead(request.headers)) return file.views
  try {
    await countView(site, file)
    await publishTotals(app.control, site)
    return file.views + 1
  } catch (error) {
    // A file that can be shown is shown, even while nothing can be written.
    app.log.warn({ site: site.number, error: String(error) }, 'A view could not be counted')
    return file.views
  }
}
