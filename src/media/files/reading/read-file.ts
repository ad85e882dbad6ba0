import type { Site } from '../../../site/index.ts'
import { type KnownBytes, readProven } from '../../../storage/index.ts'
import { fileDamaged, fileNotFound } from '../../errors.ts'
import { findFile } from '../files-table.ts'
import { tagsOfFile } from '../labels/tags-table.ts'
import { fileNameOf, keyOf, type StoredFile, type StoredVariant } from '../stored-file.ts'
import { findProtection, findServedFile, findServedFileSync, type ServedFile } from './served-files-table.ts'

/** A file by its id; refused if it is gone or expired. */
export async function readFile(site: Site, id: string): Promise<StoredFile> {
  const file = await findFile(site.db, id, site.clock.now())
  if (!file) throw fileNotFound()
  return file
}

/** The bytes at a path of the site: a file, or a variant of one. */
export interface FoundBytes extends KnownBytes {
  file: ServedFile
  mime: string
  /** The uploaded bytes, and nothing that was made from them. */
  isOriginal: boolean
  /** Of a picture that was derived on request: its row, and what makes it the same picture when it is made again. */
  derived?: { id: string; identity: string }
}

/** A path of the site, such as `images/2026/11/15` and `cat.th.jpg`. */
interface FilePath {
  folder: string
  fileName: string
}

/** With the options of a preset, if one is named. */
export async function findBytes(
  site: Site,
  { preset, ...path }: FilePath & { preset?: string | undefined },
): Promise<FoundBytes | undefined> {
  return bytesOf(await findServedFile(site.db, { ...servedName(site, path), preset }), path)
}

/** Synchronous variant: undefined when the row cannot be read without waiting. `changeToken` is that of `lastTokenOf`. */
export function findBytesSync(site: Site, path: FilePath, changeToken: object): FoundBytes | undefined {
  return bytesOf(findServedFileSync(site.db, servedName(site, path), changeToken), path)
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
  const sums = variant ? { sha256: variant.sha256 } : { md5: file.md5 }
  return { file, key: keyOf(file, variant), mime, sizeBytes, ...sums, isOriginal: variant === undefined }
}

/** The bytes of the file, or of a variant of it. */
export const bytesOfVersion = (file: ServedFile, variant: StoredVariant | undefined): FoundBytes =>
  bytesAt(file, variant)

/** The bytes of a variant: our own drawing, which fits into the memory. */
export async function readDrawing(site: Site, file: StoredFile, variant: StoredVariant): Promise<Buffer> {
  const { sizeBytes, sha256 } = variant
  const bytes = await readProven(site.storage, { key: keyOf(file, variant), sizeBytes, sha256 })
  if (!Buffer.isBuffer(bytes)) throw fileDamaged()
  return bytes
}

/** Whether the addresses of the file's bytes must be signed. */
export const isProtected = (site: Site, file: Pick<StoredFile, 'id'>): Promise<boolean> =>
  findProtection(site.db, file.id)

export const tagsOf = (site: Site, file: StoredFile): Promise<string[]> => tagsOfFile(site.db, file.id)
