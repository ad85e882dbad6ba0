import { damagedFiles } from '../../../../media/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** The damage that the scrub job has recorded. */
export async function checkScrub({ record, site }: InspectedSite, note: Note): Promise<void> {
  for (const { fileId, fault } of await damagedFiles(site)) {
    const todo = 'Put the bytes back from a backup, or delete the file. The next scrub removes this record.'
    await note({
      isFault: true,
      tenant: nameOfSite(record),
      key: fileId,
      says: `The scrub found that ${fault}.`,
      todo,
    })
  }
}
