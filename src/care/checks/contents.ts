import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { filesAfter, hasFile, keyOf, type StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { nameOfSite } from '../known-sites-table.ts'

const pageSize = 200

/** Page by page from the rows of now: reading all bytes of a site takes longer than a moment should be held. */
export async function checkContents({ known, live }: SiteUnderCare, note: Note): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: StoredFile[] = await filesAfter(live.db, last, pageSize)
    for (const file of page) {
      const md5 = await md5Of(live, keyOf(file))
      if (md5 === file.md5 || !(await hasFile(live.db, file.id))) continue
      // Bytes that are missing are told by another check.
      if (md5 === undefined) continue
      const says = `The bytes have changed: their MD5 is ${md5}, and was ${file.md5}.`
      const todo = 'Put them back from a backup, or delete the file.'
      await note({ isFault: true, tenant: nameOfSite(known), key: keyOf(file), says, todo })
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
