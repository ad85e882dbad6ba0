import { damagedFiles } from '../../media/index.ts'
import type { SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { nameOfSite } from '../known-sites-table.ts'

/** What jobs have noted, who read the bytes in their own time. */
export async function checkScrub({ known, site }: SiteUnderCare, note: Note): Promise<void> {
  for (const { fileId, fault } of await damagedFiles(site)) {
    const todo = 'Put the bytes back from a backup, or delete the file. The next scrub takes the note away.'
    await note({
      isFault: true,
      tenant: nameOfSite(known),
      key: fileId,
      says: `The scrub found that ${fault}.`,
      todo,
    })
  }
}
