import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type SiteRow, siteRowPages, siteTables } from '../../db/index.ts'
import { allDone } from '../../lib/concurrency/promises.ts'
import {
  earlierBytesOf,
  isKeyOwned,
  recordSum,
  storedKeyOfBrandRow,
  storedKeysOf,
  storedKeysOfRow,
} from '../../media/index.ts'
import { scrubbedSince } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import type { KnownBytes } from '../../storage/index.ts'
import type { Part } from '../backup-format/manifest.ts'
import { openPart } from '../backup-format/part-file.ts'
import { type BytesCopy, bytesPath, filesPath, rowsPath, type SiteCopy } from '../backup-format/site-copy.ts'
import { copyBytes } from './copy-bytes.ts'
import type { EarlierBytes } from './earlier-backup.ts'

interface Copied {
  rows: SiteCopy['rows']
  parts: Part[]
  files: number
  bytes: number
  /** Keys of files that are left out, because stored bytes are missing, or are not those that the row knows. */
  damaged: string[]
  /** Keys whose stored bytes are missing or damaged; those of the earlier backup are in this one. */
  rescued: string[]
  /** Keys whose bytes in the earlier backup have changed; they were copied again. */
  changed: string[]
}

interface Copying {
  /** Over a snapshot of its rows. */
  site: Site
  live: Site
  folder: string
  earlier: EarlierBytes
  /** Gets the bytes that are copied. */
  onBytes: (bytes: number) => void
}

type EarlierCopies = Awaited<ReturnType<EarlierBytes['of']>>

const revisionName = (fileId: unknown, revision: unknown) => `${fileId} ${revision}`

const pageSize = 500
const maxParallel = 4

/**
 * Copies the rows of a snapshot and their bytes. A file that is deleted meanwhile may have lost its bytes: it is left out
 * with all rows that refer to it, so that the copy is consistent.
 */
export async function copySite({ site, live, folder, earlier, onBytes }: Copying): Promise<Copied> {
  const copied: Copied = { rows: {}, parts: [], files: 0, bytes: 0, damaged: [], rescued: [], changed: [] }
  const leftOut = new Set<unknown>()
  const leftOutRevisions = new Set<string>()
  const leftOutPictures = new Set<string>()
  const now = live.clock.now()
  const checking = { now, checkedSince: scrubbedSince(live.values, now) }
  await using rowsPart = await openPart(folder, rowsPath(site.number))
  await using filesPart = await openPart(folder, filesPath(site.number))

  const copyKeys = async (
    id: string,
    keys: readonly KnownBytes[],
    known: EarlierCopies,
  ): Promise<BytesCopy[] | undefined> => {
    const bytes: BytesCopy[] = []
    const damaged: string[] = []
    for (const wanted of keys) {
      const { key } = wanted
      const path = join(folder, bytesPath(site.number, key))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const onChanged = () => copied.changed.push(key)
      const copying = { id, known: wanted, path, earlier: known.get(key), ...checking, onChanged }
      const { copy, isDamaged } = await copyBytes(live.storage, copying)
      if (isDamaged && (await isKeyOwned(live.db, key))) damaged.push(key)
      if (copy) {
        bytes.push(copy)
        if (wanted.md5 === undefined && wanted.sha256 === undefined)
          await recordSum(live.db, key, copy.sha256)
        continue
      }
      for (const each of bytes) await rm(join(folder, bytesPath(site.number, each.key)))
      copied.damaged.push(...damaged)
      return undefined
    }
    copied.rescued.push(...damaged)
    return bytes
  }
  const copyFile = async (row: SiteRow, known: EarlierCopies) => {
    const id = String(row.id)
    const bytes = await copyKeys(id, storedKeysOfRow(row), known)
    // An earlier revision may have been removed meanwhile: then it alone is left out.
    const isReplaced = bytes && Number(row.revision) > 1
    for (const earlierBytes of isReplaced ? await earlierBytesOf(site.db, [id]) : []) {
      const copies = await copyKeys(id, storedKeysOf(earlierBytes), known)
      if (copies) bytes?.push(...copies)
      else leftOutRevisions.add(revisionName(id, earlierBytes.revision))
    }
    return bytes
  }
  const copyFiles = async (rows: readonly SiteRow[]) => {
    for (let from = 0; from < rows.length; from += maxParallel) {
      const known: EarlierCopies[] = []
      const batch = rows.slice(from, from + maxParallel)
      for (const row of batch) known.push(await earlier.of(String(row.id)))
      const copies = await allDone(batch.map((row, index) => copyFile(row, known[index] ?? new Map())))
      for (const [index, row] of batch.entries()) {
        const bytes = copies[index]
        if (!bytes) leftOut.add(row.id)
        copied.files += bytes ? 1 : 0
        for (const copy of bytes ?? []) {
          copied.bytes += copy.sizeBytes
          await filesPart.write(copy)
        }
      }
      onBytes(copied.bytes)
    }
  }

  /** A picture whose bytes are gone is left out: it was replaced meanwhile, or is reported as damaged. */
  const copyBrand = async (rows: readonly SiteRow[]) => {
    const pictures = rows.map(storedKeyOfBrandRow).toSorted((one, two) => (one.id < two.id ? -1 : 1))
    for (const { id, ...picture } of pictures) {
      const bytes = await copyKeys(id, [picture], await earlier.of(id))
      if (!bytes) leftOutPictures.add(id)
      for (const copy of bytes ?? []) {
        copied.bytes += copy.sizeBytes
        await filesPart.write(copy)
      }
    }
  }

  for await (const { table, rows } of siteRowPages(site.db, pageSize)) {
    if (!siteTables[table].isInBackup) continue
    if (table === 'file') await copyFiles(rows)
    if (table === 'brandPicture') await copyBrand(rows)
    const kept = rows.filter(
      (row) =>
        !leftOut.has(table === 'file' ? row.id : row.fileId) &&
        !(table === 'brandPicture' && leftOutPictures.has(storedKeyOfBrandRow(row).id)) &&
        !(table === 'fileRevision' && leftOutRevisions.has(revisionName(row.fileId, row.revision))),
    )
    for (const row of kept) await rowsPart.write([table, row])
    copied.rows[table] = (copied.rows[table] ?? 0) + kept.length
  }
  copied.parts = [await rowsPart.finish(), await filesPart.finish()]
  return copied
}
