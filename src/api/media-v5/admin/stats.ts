import { Type } from 'typebox'
import { readStats, type SiteStats } from '../../../media/index.ts'
import { StatsObject, writeStats } from '../../tenants-v4/wire.ts'
import type { MediaEndpoint } from '../media-endpoint.ts'
import { scopedRefusals } from '../responses.ts'

const SiteStatsObject = Type.Object({
  ...StatsObject.properties,
  trash: Type.Object(
    {
      files: Type.Integer({ description: 'Files in the trash' }),
      bytes: Type.Integer({ description: 'Their bytes, with their variants' }),
    },
    { description: 'What is in the trash: it counts in `storage_used`, not in `files`' },
  ),
  derived_bytes: Type.Integer({
    description: 'Bytes of pictures that were made on request; not in `storage_used`',
  }),
  derived_files: Type.Integer({ description: 'How many pictures these are' }),
  transforms: Type.Integer({ description: 'Pictures that were made this month, in UTC' }),
})

const writeSiteStats = ({ totals, trash, derivedFiles, transforms }: SiteStats) => ({
  ...writeStats(totals),
  trash,
  derived_bytes: totals.derivedBytes,
  derived_files: derivedFiles,
  transforms,
})

export const getStats: MediaEndpoint = {
  tag: 'Statistics',
  summary: 'Read the totals of the site',
  access: 'see-statistics',
  responses: { 200: { description: 'The totals.', schema: SiteStatsObject }, ...scopedRefusals },
  handle: async ({ site }) => ({ status: 200, body: writeSiteStats(await readStats(site)) }),
}
