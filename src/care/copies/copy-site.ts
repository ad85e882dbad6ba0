import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type SiteRow, siteRowPages } from '../../db/index.ts'
import { hasFile, storedKeysOfRow } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { copyBytes } from './copy-bytes.ts'
import type { EarlierBytes } from './earlier-backup.ts'
import type { Part } from './manifest.ts'
import { openPart } from './part-file.ts'
import { type BytesCopy, bytesPath, filesPath, passingTables, rowsPath, type SiteCopy } from './site-copy.ts'

interface Copied {
  rows: SiteCopy['rows']
  parts: Part[]
  files: number
  bytes: number
  /** Keys of files that are there and have lost bytes. */
  damaged: string[]
}

interface Copying {
  /** As it was at one moment. */
  site: Site
  live: Site
  folder: string
  earlier: EarlierBytes
}

const pageSize = 500
const atOnce = 4

/**
 * Rows of one moment and the bytes that they speak of. A file that is removed meanwhile may have lost its bytes:
 * it is left out with all that refers to it, so that what is copied agrees with itself.
 */
export async function copySite({ site, live, folder, earlier }: Copying): Promise<Copied> {
  const copied: Copied = { rows: {}, parts: [], files: 0, bytes: 0, damaged: [] }
  const gone = new Set<unknown>()
  await using rowsPart = await openPart(folder, rowsPath(site.number))
  await using filesPart = await openPart(folder, filesPath(site.number))

  const copyFile = async (row: SiteRow, known: Awaited<ReturnType<EarlierBytes['of']>>) => {
    const id = String(row.id)
    const bytes: BytesCopy[] = []
    for (const { key, sizeBytes } of storedKeysOfRow(row)) {
      const path = join(folder, bytesPath(site.number, key))
      await mkdir(dirname(path), { recursive: true, mode: 0o750 })
      const copy = await copyBytes(live.storage, { id, key, sizeBytes, path, earlier: known.get(key) })
      if (copy) bytes.push(copy)
      else if (await hasFile(live.db, id)) copied.damaged.push(key)
      if (copy) continue
      for (const each of bytes) await rm(join(folder, bytesPath(site.number, each.key)))
      return undefined
    }
    return bytes
  }
  const copyFiles = async (rows: readonly SiteRow[]) => {
    for (let from = 0; from < rows.length; from += atOnce) {
      const known: Awaited<ReturnType<EarlierBytes['of']>>[] = []
      const some = rows.slice(from, from + atOnce)
      for (const row of some) known.push(await earlier.of(String(row.id)))
      const copies = await Promise.all(some.map((row, place) => copyFile(row, known[place] ?? new Map())))
      for (const [place, row] of some.entries()) {
        const bytes = copies[place]
        if (!bytes) gone.add(row.id)
        copied.files += bytes ? 1 : 0
        for (const copy of bytes ?? []) {
          copied.bytes += copy.sizeBytes
          await filesPart.write(copy)
        }
      }
    }
  }

  for await (const { table, rows } of siteRowPages(site.db, pageSize)) {
    if (passingTables.has(table)) continue
    if (table === 'file') await copyFiles(rows)
    const kept = rows.filter((row) => !gone.has(table === 'file' ? row.id : row.fileId))
    for (const row of kept) await rowsPart.write([table, row])
    copied.rows[table] = (copied.rows[table] ?? 0) + kept.length
  }
  copied.parts = [await rowsPart.finish(), await filesPart.finish()]
  return copied
}
