import type { Control } from '../../control/index.ts'
import type { SiteDb } from '../../db/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type FileKeys, fileKeysAfter } from '../../media/index.ts'
import { bytesFolder } from '../../site/index.ts'
import type { Storage } from '../../storage/index.ts'
import { isSiteInstalled } from '../sites-table.ts'
import { type LocationRecord, readLocation, type StaleCopy } from './site-locations.ts'

/** Removes all rows and bytes of a site: at its location, and every stale or unfinished copy. May be repeated. */
export async function dropCopies(control: Control, site: number): Promise<void> {
  const record = await readLocation(control, site)
  const { database, storage, rowsGeneration, bytesGeneration, generation } = record
  await dropKnownBytes(control, site, record)
  // Rows before bytes: an upload whose row cannot be inserted removes its own bytes.
  await (await control.backends.store(database)).dropSite(site, rowsGeneration)
  await (await control.backends.storage(storage)).removeAll(bytesFolder(site, bytesGeneration))
  const others: StaleCopy[] = [...record.staleCopies, ...unfinishedCopies(record)]
  for (const copy of others) {
    if (copy.kind === 'bytes') await dropCopy(control, site, copy)
    else if (
      copy.database !== database ||
      copy.rowsGeneration !== rowsGeneration ||
      copy.generation !== generation
    ) {
      await (await control.backends.store(copy.database)).dropSite(site, copy.rowsGeneration)
    }
  }
}

/** If the tables of a dropped site are broken or gone, only the listing of its folder remains to find its bytes. */
async function dropKnownBytes(control: Control, site: number, record: LocationRecord): Promise<void> {
  const bytes = await control.backends.bytes(site, record)
  if (bytes.kind !== 's3' || !(await isSiteInstalled(control.store.control, site))) return
  const store = await control.backends.store(record.database)
  const { rowsGeneration, generation } = record
  const rows = await store.openSite(site, { rowsGeneration, generation }).catch(() => undefined)
  if (!rows) return
  try {
    await removeBytesOfRows(rows.db, bytes)
  } catch (error) {
    if (error instanceof Refusal && error.code.startsWith('storage-')) throw error
  } finally {
    await rows.close()
  }
}

/** The copies that an unfinished or aborted move has made. */
export function unfinishedCopies({ move, abortedMove, ...location }: LocationRecord): StaleCopy[] {
  const copies: StaleCopy[] = []
  if (move && move.rowsGeneration !== location.rowsGeneration) {
    const { database, rowsGeneration, generation } = move
    copies.push({ kind: 'rows', database, rowsGeneration, generation })
  }
  const bytes = [move, abortedMove].filter((copy) => copy !== undefined)
  for (const { storage, bytesGeneration } of bytes) {
    if (bytesGeneration !== location.bytesGeneration) copies.push({ kind: 'bytes', storage, bytesGeneration })
  }
  return copies
}

/** Removes one copy, and nothing of a later generation at that location. */
export async function dropCopy(control: Control, site: number, copy: StaleCopy): Promise<void> {
  if (copy.kind === 'bytes') {
    const storage = await control.backends.storage(copy.storage)
    const folder = bytesFolder(site, copy.bytesGeneration)
    // Folder 0 may hold the site's SQLite file beside its bytes.
    await storage.removeAll(copy.bytesGeneration === 0 ? `${folder}/files` : folder)
    return
  }
  const { database, rowsGeneration, generation } = copy
  await (await control.backends.store(database)).dropStaleRows(site, { rowsGeneration, generation })
}

const pageSize = 500

/** Removes the bytes of a site's rows key by key, because a bucket may not list all its keys. A disk folder is removed as a whole. */
export async function removeBytesOfRows(db: SiteDb, storage: Storage): Promise<void> {
  if (storage.kind !== 's3') return
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileKeys[] = await fileKeysAfter(db, last, pageSize)
    await storage.remove(page.flatMap(({ keys }) => keys.map(({ key }) => key)))
    last = page.at(-1)?.id
  }
}
