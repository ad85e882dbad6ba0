import { type FileKeys, fileKeysAfter, isKeyOwned } from '../../../../media/index.ts'
import { proveBytes } from '../../../../storage/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

const pageSize = 200

/** Page by page from the live rows: reading all bytes of a site takes longer than a snapshot should stay open. */
export async function checkContents({ record, live }: InspectedSite, note: Note): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileKeys[] = await fileKeysAfter(live.db, last, pageSize)
    for (const known of page.flatMap(({ keys }) => keys)) {
      const verdict = await proveBytes(live.storage, known)
      // Missing bytes are reported by `stored-bytes.ts`.
      if (verdict.state !== 'damaged' || !(await isKeyOwned(live.db, known.key))) continue
      await note({
        isFault: true,
        tenant: nameOfSite(record),
        key: known.key,
        says: `The file ${verdict.fault}.`,
        todo: 'Put the bytes back from a backup, or delete the file.',
      })
    }
    last = page.at(-1)?.id
  }
}
