import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type FileSums, fileSumsAfter, isKeyOwned } from '../../../../media/index.ts'
import type { Site } from '../../../../site/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

const pageSize = 200

/** Page by page from the live rows: reading all bytes of a site takes longer than a snapshot should stay open. */
export async function checkContents({ record, live }: InspectedSite, note: Note): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileSums[] = await fileSumsAfter(live.db, last, pageSize)
    for (const { key, md5: stored } of page.flatMap(({ sums }) => sums)) {
      const md5 = await md5Of(live, key)
      if (md5 === stored || !(await isKeyOwned(live.db, key))) continue
      // Missing bytes are reported by `stored-bytes.ts`.
      if (md5 === undefined) continue
      const says = `The bytes have changed: their MD5 is ${md5}, and was ${stored}.`
      const todo = 'Put them back from a backup, or delete the file.'
      await note({ isFault: true, tenant: nameOfSite(record), key, says, todo })
    }
    last = page.at(-1)?.id
  }
}

async function md5Of({ storage }: Site, key: string): Promise<string | undefined> {
  const stored = await storage.read(key)
  if (!stored) return undefined
  const hash = createHash('md5')
  const { content } = stored
  const chunks: Iterable<Buffer> | Readable = Buffer.isBuffer(content) ? [content] : content
  for await (const chunk of chunks) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
