import type { Site } from '../../../site/index.ts'
import { fileNotFound } from '../../errors.ts'
import { findFile } from '../files-table.ts'
import { fileNameOf, keyOf, type StoredFile, type StoredVariant } from '../stored-file.ts'
import { tagsOfFile } from '../tags-table.ts'
import { findProtection } from './protection-table.ts'
import { findServedFile, findServedFileSync, type ServedFile } from './served-files-table.ts'

/** A file by its id; refused if it is gone or expired. */
export async function readFile(site: Site, id: string): Promise<StoredFile> {
  const file = await findFile(site.db, id, site.clock.now())
  if (!file) throw fileNotFound()
  return file
}

/** The bytes at a path of the site: a file, or a variant of one. */
export interface FoundBytes {
  file: ServedFile
  key: string
  mime: string
  sizeBytes: number
  /** The uploaded bytes, not a smaller version. */
  isOriginal: boolean
}

/** A path of the site, such as `images/2026/11/15` and `cat.th.jpg`. */
interface FilePath {
  folder: string
  fileName: string
}

export async function findBytes(
  site: Site,
  folder: string,
  fileName: string,
): Promise<FoundBytes | undefined> {
  const path = { folder, fileName }
  return bytesOf(await findServedFile(site.db, servedName(site, path)), path)
}

/** Synchronous variant: undefined when the row cannot be read without waiting. */
export function findBytesSync(site: Site, folder: string, fileName: string): FoundBytes | undefined {
  const path = { folder, fileName }
  return bytesOf(findServedFileSync(site.db, servedName(site, path)), path)
}

const suffix = /(?:\.(?:th|md|fr))?\.[^.]*$/

const servedName = (site: Site, { folder, fileName }: FilePath) => ({
  site: site.number,
  folder,
  name: fileName.replace(suffix, ''),
  now: site.clock.now(),
})

const cachedBytes = new WeakMap<ServedFile, Map<string, FoundBytes>>()

/** The file, or the variant of it, that has this name. */
function bytesOf(file: ServedFile | undefined, { fileName }: FilePath): FoundBytes | undefined {
  if (!file) return undefined
  const cached = cachedBytes.get(file)?.get(fileName)
  if (cached) return cached
  const all = new Map(
    [undefined, ...file.variants].map((variant) => [fileNameOf(file, variant), bytesAt(file, variant)]),
  )
  cachedBytes.set(file, all)
  return all.get(fileName)
}

function bytesAt(file: ServedFile, variant: StoredVariant | undefined): FoundBytes {
  const { mime, sizeBytes } = variant ?? file
  return { file, key: keyOf(file, variant), mime, sizeBytes, isOriginal: variant === undefined }
}

/** Whether the addresses of the file's bytes must be signed. */
export const isProtected = (site: Site, file: Pick<StoredFile, 'id'>): Promise<boolean> =>
  findProtection(site.db, file.id)

export const tagsOf = (site: Site, file: StoredFile): Promise<string[]> => tagsOfFile(site.db, file.id)
