import type { Actor } from '../../accounts/index.ts'
import { readFile, type StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { noSuchFile } from './errors.ts'

export type FileType = StoredFile['type']

const idForm = /^[A-Za-z0-9]{1,64}$/

/** Ids of another form are nobody's, and not every store takes every character. */
export function checkedId(text: string): string {
  if (!idForm.test(text)) throw noSuchFile()
  return text
}

/** Who looks at a page, until there are sessions that tell. */
export const anybody: Actor = { kind: 'guest' }

/** The file that a viewer's address names, `words.id` or `id`, for somebody who is not its owner. */
export async function fileAt(site: Site, type: FileType, name: string): Promise<StoredFile> {
  const file = await readFile(site, checkedId(name.slice(name.lastIndexOf('.') + 1)))
  if (file.type !== type || !file.isApproved) throw noSuchFile()
  return file
}
