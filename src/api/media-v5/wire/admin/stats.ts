import { Type } from 'typebox'
import type { SiteStats } from '../../../../media/index.ts'
import { StatsObject, writeStats } from '../../../tenants-v4/wire.ts'

export const SiteStatsObject = Type.Object({
  ...StatsObject.properties,
  trash: Type.Object(
    {
      files: Type.Integer({ description: 'Files in the trash' }),
      bytes: Type.Integer({ description: 'Their bytes, with their variants' }),
    },
    { description: 'What is in the trash: it counts in `storage_used`, not in `files`' },
  ),
  derived_bytes: Type.Integer({
    description: 'Bytes of variants that were made on request; not in `storage_used`',
  }),
})

export const writeSiteStats = ({ totals, trash, derivedBytes }: SiteStats) => ({
  ...writeStats(totals),
  trash,
  derived_bytes: derivedBytes,
})
