import { inTransaction } from '../db/index.ts'
import { addToTotal, type Site } from '../site/index.ts'
import { fileNotFound } from './errors.ts'
import { addView, findFile } from './files-table.ts'
import { findServedFile, findServedFileAtOnce, type ServedFile } from './served-files-table.ts'
import { fileNameOf, keyOf, type StoredFile, type StoredVariant } from './stored-file.ts'
import { tagsOfFile } from './tags-table.ts'

/** A file by its id, unless it is gone or expired. */
export async function readFile(site: Site, id: string): Promise<StoredFile> {
  const file = await findFile(site.db, id, site.clock.now())
  if (!file) throw fileNotFound()
  return file
}

/** What stands at a path of the site: a file, or a version of one. */
export interface FoundBytes {
  file: ServedFile
  key: string
  mime: string
  sizeBytes: number
}

/** Where somebody looks: `images/2026/11/15` and `cat.th.jpg`. */
interface Place {
  folder: string
  fileName: string
}

export async function findBytes(
  site: Site,
  folder: string,
  fileName: string,
): Promise<FoundBytes | undefined> {
  const place = { folder, fileName }
  return bytesOf(await findServedFile(site.db, askedAt(site, place)), place)
}

/** The same without waiting; nothing too where the row cannot be had so. */
export function findBytesAtOnce(site: Site, folder: string, fileName: string): FoundBytes | undefined {
  const place = { folder, fileName }
  return bytesOf(findServedFileAtOnce(site.db, askedAt(site, place)), place)
}

const ending = /(?:\.(?:th|md|fr))?\.[^.]*$/

const askedAt = (site: Site, { folder, fileName }: Place) => ({
  site: site.number,
  folder,
  name: fileName.replace(ending, ''),
  now: site.clock.now(),
})

const knownBytes = new WeakMap<ServedFile, Map<string, FoundBytes>>()

/** The file, or the version of it, that has this name. */
function bytesOf(file: ServedFile | undefined, { fileName }: Place): FoundBytes | undefined {
  if (!file) return undefined
  const known = knownBytes.get(file)?.get(fileName)
  if (known) return known
  const all = new Map(
    [undefined, ...file.variants].map((variant) => [fileNameOf(file, variant), bytesAt(file, variant)]),
  )
  knownBytes.set(file, all)
  return all.get(fileName)
}

function bytesAt(file: ServedFile, variant: StoredVariant | undefined): FoundBytes {
  const { mime, sizeBytes } = variant ?? file
  return { file, key: keyOf(file, variant), mime, sizeBytes }
}

export const tagsOf = (site: Site, file: StoredFile): Promise<string[]> => tagsOfFile(site.db, file.id)

export async function countView(site: Site, file: StoredFile): Promise<void> {
  await inTransaction(site.db, async (db) => {
    if (await addView(db, file.id)) await addToTotal(db, 'fileViews', 1)
  })
}
