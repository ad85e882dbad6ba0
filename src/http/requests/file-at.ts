import type { Actor } from '../../accounts/index.ts'
import { isId } from '../../lib/ids.ts'
import { fileNotFound, mayChangeFile, readFile, type StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'

export type FileType = StoredFile['type']

/** No file has an id of another form, and PostgreSQL refuses some characters (NUL). */
export function checkedId(text: string): string {
  if (!isId(text)) throw fileNotFound()
  return text
}

/** The actor of a request that no session speaks for. */
export const pageVisitor: Actor = { kind: 'guest' }

/** The file of a viewer path, `words.id` or `id`. One that waits for approval is there for those who may change it. */
export async function fileAt(
  site: Site,
  type: FileType,
  name: string,
  actor: Actor = pageVisitor,
): Promise<StoredFile> {
  const file = await readFile(site, checkedId(name.slice(name.lastIndexOf('.') + 1)))
  if (file.type !== type || !(file.isApproved || mayChangeFile(actor, file))) throw fileNotFound()
  return file
}
