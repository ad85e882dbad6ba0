import { readStats } from '../../../media/index.ts'
import type { MediaEndpoint } from '../media-endpoint.ts'
import { scopedRefusals } from '../responses.ts'
import { SiteStatsObject, writeSiteStats } from '../wire/admin/stats.ts'

export const getStats: MediaEndpoint = {
  tag: 'Statistics',
  summary: 'Read the totals of the site',
  access: 'see-statistics',
  responses: { 200: { description: 'The totals.', schema: SiteStatsObject }, ...scopedRefusals },
  handle: async ({ site }) => ({ status: 200, body: writeSiteStats(await readStats(site)) }),
}
